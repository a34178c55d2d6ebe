import ArgumentParser
import TrolleyJournal

/// A list's colour, as a person gives it: a name that the apps know, or `#RRGGBB`.
enum ListColour {
    static let names = [
        "green", "teal", "blue", "indigo", "purple", "pink", "red", "orange", "yellow", "brown", "grey",
    ]

    /// - Returns: in the form in which all programs write it.
    /// - Throws: `ValidationError`, with the colours that there are.
    static func parsed(_ text: String) throws -> String {
        let colour = text.trimmed.lowercased()
        if names.contains(colour) { return colour }
        if colour == "gray" { return "grey" }
        let digits = colour.dropFirst()
        if colour.hasPrefix("#"), [3, 6].contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            return colour
        }
        let all = names.joined(separator: ", ")
        if colour.isEmpty {
            throw ValidationError(
                localized("Give the list a colour: \(all).", de: "Gib der Liste eine Farbe: \(all)."))
        }
        throw ValidationError(
            localized(
                "There is no colour '\(text)'. Colours: \(all); or a number such as #ffcc00.",
                de: "Die Farbe „\(text)“ gibt es nicht. Farben: \(all); oder eine Zahl wie #ffcc00."))
    }
}
