/// A file of settings as systemd and shells read it: one `NAME=VALUE` a line, comments with `#`.
struct EnvironmentFile {
    /// A comment, a blank line, or a setting, whose value may go over several lines.
    private struct Line {
        var text: String
        /// The setting's; nil: it is none.
        var name: String?
        var value = ""
    }

    private var lines: [Line] = []

    /// - Parameters:
    ///   - text: the file's whole content.
    ///   - file: its path, for an error's text.
    /// - Throws: `CommandError` when a value has no end: it would swallow the settings that are added below it.
    init(_ text: String, of file: String) throws {
        // `\r\n` is one character.
        var rest = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
            .map(String.init)[...]
        if rest.last == "" { rest.removeLast() }
        let count = rest.count
        while let first = rest.popFirst() {
            let number = count - rest.count
            let start = first.trimmingSpaces.first
            guard start != "#", start != ";", let equals = first.firstIndex(of: "=") else {
                lines.append(Line(text: first))
                continue
            }
            let name = String(first[..<equals]).trimmingSpaces
            var text = first
            var written = String(first[equals...].dropFirst())
            while !EnvironmentValue(written).isComplete {
                guard let next = rest.popFirst() else {
                    throw CommandError(
                        """
                        \(name) in line \(number) of \(file) has no end: a quotation mark is not closed, or the last line ends \
                        with a backslash. Mend that; nothing was changed.
                        """)
                }
                text += "\n" + next
                written += "\n" + next
            }
            lines.append(Line(text: text, name: name, value: EnvironmentValue(written).text))
        }
    }

    var text: String { lines.map { $0.text + "\n" }.joined() }

    /// A setting's value; nil when the file doesn't set it, or to nothing.
    subscript(_ name: String) -> String? {
        // The last one counts.
        guard let value = lines.last(where: { $0.name == name })?.value, !value.isEmpty else { return nil }
        return value
    }

    /// Changes a setting where it stands, also where it stands commented out; otherwise adds it at the end. Other lines
    /// stay.
    /// - Parameters:
    ///   - name: the setting's.
    ///   - value: nil: the setting is commented out, unless it is set to nothing, which overrides the unit's value.
    mutating func set(_ name: String, to value: String?) {
        let places = lines.indices.filter { lines[$0].name == name }
        guard let value else {
            for place in places where !lines[place].value.isEmpty {
                let parts = lines[place].text.split(separator: "\n", omittingEmptySubsequences: false)
                lines[place] = Line(text: parts.map { "#\($0)" }.joined(separator: "\n"))
            }
            return
        }
        let line = Line(text: "\(name)=\(EnvironmentValue.written(value))", name: name, value: value)
        if let place = places.last {
            // As somebody has written it.
            if lines[place].value != value { lines[place] = line }
            for place in places.dropLast().reversed() { lines.remove(at: place) }
        } else if let place = lines.firstIndex(where: { $0.name == nil && $0.text.hasPrefix("#\(name)=") }) {
            lines[place] = line
        } else {
            lines.append(line)
        }
    }
}
