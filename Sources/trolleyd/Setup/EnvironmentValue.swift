/// A value in a file of settings, as systemd reads it (systemd.exec(5), `EnvironmentFile=`).
struct EnvironmentValue {
    let text: String
    /// False when a quotation mark is open, or a backslash is last: the next line belongs to the value, too.
    let isComplete: Bool

    private enum Place { case outside, plain, singleQuotes, doubleQuotes }

    /// - Parameter written: what follows the equals sign.
    init(_ written: String) {
        var text = ""
        // White space in plain text counts when more text follows.
        var blanks = ""
        var place = Place.outside
        var isEscaped = false
        for character in written {
            switch place {
            case .outside, .plain:
                if isEscaped {
                    isEscaped = false
                    place = .plain
                    if character != "\n" { text.append(character) }
                } else if character == "\\" {
                    text += blanks
                    blanks = ""
                    isEscaped = true
                } else if character == " " || character == "\t" {
                    if place == .plain { blanks.append(character) }
                } else if place == .outside, character == "'" {
                    place = .singleQuotes
                } else if place == .outside, character == "\"" {
                    place = .doubleQuotes
                } else {
                    text += blanks
                    blanks = ""
                    text.append(character)
                    place = .plain
                }
            case .singleQuotes:
                if character == "'" { place = .outside } else { text.append(character) }
            case .doubleQuotes:
                if isEscaped {
                    isEscaped = false
                    if character == "\n" { continue }
                    if !Self.escaped.contains(character) { text.append("\\") }
                    text.append(character)
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    place = .outside
                } else {
                    text.append(character)
                }
            }
        }
        self.text = text
        isComplete = !isEscaped && (place == .outside || place == .plain)
    }

    /// Between double quotation marks a backslash stands before these.
    private static let escaped = "\\\"$`"

    /// How a value is written: in double quotation marks where systemd or a shell would read something else.
    static func written(_ value: String) -> String {
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
            if escaped.contains(character) { text.append("\\") }
            text.append(character)
        }
        return text + "\""
    }
}
