/// A line of an iCalendar object (RFC 5545 §3.1): `NAME;PARAM=value:value`.
struct ContentLine: Hashable, Sendable {
    /// In upper case.
    let name: String
    /// From the name to the colon, with the parameters as they were written.
    let head: String
    /// As it was written.
    let value: String

    init(_ name: String, _ value: String, parameters: String = "") {
        self.name = name
        head = name + parameters
        self.value = value
    }

    /// - Returns: nil if the line has no name or no colon.
    init?(_ line: String) {
        var isQuoted = false
        var colon: String.UTF8View.Index?
        for index in line.utf8.indices {
            let byte = line.utf8[index]
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ":"), !isQuoted {
                colon = index
                break
            }
        }
        guard let colon else { return nil }
        head = String(line[..<colon])
        name = head.prefix { $0 != ";" }.uppercased()
        value = String(line[line.utf8.index(after: colon)...])
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isLetterOrDigit }) else { return nil }
    }

    var text: String { "\(head):\(value)" }

    /// The value of a text property, unescaped (§3.3.11).
    var unescaped: String { Self.unescaped(value) }

    /// The value of a list of texts, such as `CATEGORIES`.
    var list: [String] {
        var parts: [String] = []
        var part = ""
        var isEscaped = false
        for character in value.unicodeScalars {
            if character == ",", !isEscaped {
                parts.append(part)
                part = ""
                continue
            }
            part.unicodeScalars.append(character)
            isEscaped = character == "\\" && !isEscaped
        }
        return (parts + [part]).map(Self.unescaped)
    }

    private static func unescaped(_ value: String) -> String {
        guard value.utf8.contains(UInt8(ascii: "\\")) else { return value }
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for character in value.unicodeScalars {
            if isEscaped {
                result.append(character == "n" || character == "N" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return String(result)
    }

    static func escaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for character in text.unicodeScalars {
            switch character {
            case "\\", ";", ",":
                result.append("\\")
                result.append(character)
            case "\n":
                result.append("\\")
                result.append("n")
            default:
                // Control characters can't be in a text.
                if character.value >= 0x20 || character == "\t" { result.append(character) }
            }
        }
        return String(result)
    }

    /// The lines of an object, unfolded (§3.1). Bytes are unfolded, because a line may be folded within a character.
    /// - Returns: nil if one of them isn't a content line, or the text isn't UTF-8.
    static func lines(of bytes: [UInt8]) -> [ContentLine]? {
        var unfolded: [UInt8] = []
        unfolded.reserveCapacity(bytes.count)
        // Some programs begin with a byte order mark.
        var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if byte == 0x0D, index < bytes.count, bytes[index] == 0x0A { continue }
            guard byte == 0x0A || byte == 0x0D else {
                unfolded.append(byte)
                continue
            }
            if index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 {
                index += 1
            } else {
                unfolded.append(0x0A)
            }
        }
        guard let text = String(validating: unfolded, as: UTF8.self), !unfolded.contains(0) else { return nil }
        var lines: [ContentLine] = []
        for line in text.utf8.split(separator: 0x0A) {
            guard let line = ContentLine(String(Substring(line))) else { return nil }
            lines.append(line)
        }
        return lines
    }

    /// The lines as an object's text, folded after 75 bytes and never within a character.
    static func text(of lines: [ContentLine]) -> String {
        var text = ""
        for line in lines {
            let content = line.text
            // Most lines are short.
            guard content.utf8.count > 75 else {
                text += content
                text += "\r\n"
                continue
            }
            var width = 0
            for character in content.unicodeScalars {
                let size = UTF8.width(character)
                if width + size > 75 {
                    text += "\r\n "
                    width = 1
                }
                text.unicodeScalars.append(character)
                width += size
            }
            text += "\r\n"
        }
        return text
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
