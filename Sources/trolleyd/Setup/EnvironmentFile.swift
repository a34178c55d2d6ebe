/// A file of settings as systemd and shells read it: one `NAME=VALUE` a line, comments with `#`.
struct EnvironmentFile {
    private var lines: [String]

    init(_ text: String) {
        lines = text.isEmpty ? [] : text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
    }

    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Changes a setting where it stands, also where it stands commented out; otherwise adds it at the end. Other lines stay.
    /// - Parameter value: nil: the setting is commented out.
    mutating func set(_ name: String, to value: String?) {
        let places = lines.indices.filter { lines[$0].hasPrefix("\(name)=") }
        guard let value else {
            for place in places { lines[place] = "#" + lines[place] }
            return
        }
        let line = "\(name)=\(Self.quoted(value))"
        if let place = places.last {
            lines[place] = line
            // The last one counts.
            for place in places.dropLast().reversed() { lines.remove(at: place) }
        } else if let place = lines.firstIndex(where: { $0.hasPrefix("#\(name)=") }) {
            lines[place] = line
        } else {
            lines.append(line)
        }
    }

    /// In double quotes where systemd or a shell would read something else.
    private static func quoted(_ value: String) -> String {
        let plain = value.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "/.:_-@,+%=".utf8.contains(byte)
            }
        }
        if plain { return value }
        var text = "\""
        for character in value {
            if "\\\"$`".contains(character) { text.append("\\") }
            text.append(character)
        }
        return text + "\""
    }
}
