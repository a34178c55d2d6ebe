import TrolleyJournal

/// Colours of lists as Apple's clients write them.
enum CalendarColour {
    private static let named = [
        "red": "#FF3B30", "orange": "#FF9500", "yellow": "#FFCC00", "green": "#34C759", "blue": "#007AFF",
        "indigo": "#5856D6", "purple": "#AF52DE", "pink": "#FF2D55", "brown": "#A2845E", "grey": "#8E8E93",
        "gray": "#8E8E93",
        "teal": "#30B0C7",
    ]

    /// nil: the list has no colour, or one that has no such form.
    static func hexadecimal(of colour: String?) -> String? {
        guard let colour = colour?.trimmed.lowercased() else { return nil }
        if let known = named[colour] { return known + "FF" }
        return parsed(colour).map { $0.uppercased() + "FF" }
    }

    /// The colour that a client has set: a name where the list's programs know one, otherwise `#RRGGBB`.
    static func colour(of text: String) -> String? {
        let text = text.trimmed
        if named[text.lowercased()] != nil { return text.lowercased() }
        guard let hexadecimal = parsed(text) else { return nil }
        let name = named.filter { $0.value == hexadecimal.uppercased() }.keys.sorted().first
        return name ?? hexadecimal.lowercased()
    }

    /// `#RRGGBB` of `#RGB`, `#RRGGBB` or `#RRGGBBAA`.
    private static func parsed(_ text: String) -> String? {
        let digits = text.dropFirst()
        guard text.hasPrefix("#"), [3, 6, 8].contains(digits.count), digits.allSatisfy(\.isHexDigit) else { return nil }
        return "#" + (digits.count == 3 ? digits.map { "\($0)\($0)" }.joined() : String(digits.prefix(6)))
    }
}
