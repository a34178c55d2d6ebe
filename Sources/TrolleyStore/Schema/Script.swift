/// A script of SQL commands, split into single commands. Citus passes each command on to its nodes together with the
/// whole text that contains it, and the nodes refuse a text with several commands.
struct Script {
    /// The commands in order, without semicolons.
    let commands: [String]

    init(_ text: String) {
        var scanner = Scanner(text)
        var commands: [String] = []
        while let command = scanner.next() { commands.append(command) }
        self.commands = commands
    }

    private struct Scanner {
        private let text: [UInt8]
        private var place = 0

        init(_ text: String) { self.text = Array(text.utf8) }

        /// The next command that contains more than space and comments; nil at the end.
        mutating func next() -> String? {
            while place < text.count {
                let start = place
                var isEmpty = true
                while place < text.count, text[place] != UInt8(ascii: ";") {
                    switch (text[place], place + 1 < text.count ? text[place + 1] : 0) {
                    case (UInt8(ascii: "-"), UInt8(ascii: "-")): skip(through: [UInt8(ascii: "\n")])
                    case (UInt8(ascii: "/"), UInt8(ascii: "*")): skipComment()
                    case (UInt8(ascii: "'"), _), (UInt8(ascii: "\""), _):
                        isEmpty = false
                        skipQuoted()
                    case (UInt8(ascii: "$"), _):
                        isEmpty = false
                        skipDollarQuoted()
                    case (let byte, _):
                        if byte > UInt8(ascii: " ") { isEmpty = false }
                        place += 1
                    }
                }
                let command = String(decoding: text[start..<min(place, text.count)], as: UTF8.self)
                place += 1
                if !isEmpty { return command }
            }
            return nil
        }

        /// Skips to behind the next occurrence of these bytes, or to the end.
        private mutating func skip(through bytes: [UInt8]) {
            while place < text.count, !text[place...].starts(with: bytes) { place += 1 }
            place = min(place + bytes.count, text.count)
        }

        /// PostgreSQL's comments nest.
        private mutating func skipComment() {
            var depth = 0
            repeat {
                if text[place...].starts(with: "/*".utf8) {
                    depth += 1
                    place += 2
                } else if text[place...].starts(with: "*/".utf8) {
                    depth -= 1
                    place += 2
                } else {
                    place += 1
                }
            } while depth > 0 && place < text.count
        }

        /// A doubled quote counts as the end of one string and the start of the next, which comes to the same. After
        /// `E` or `e`, a backslash escapes a quote.
        private mutating func skipQuoted() {
            let quote = text[place]
            let isEscaping =
                quote == UInt8(ascii: "'") && place > 0 && text[place - 1] | 0x20 == UInt8(ascii: "e")
                && (place < 2 || !Self.isWord(text[place - 2]))
            place += 1
            while place < text.count, text[place] != quote {
                place += isEscaping && text[place] == UInt8(ascii: "\\") ? 2 : 1
            }
            place += 1
        }

        /// `$$ … $$` and `$tag$ … $tag$`; any other `$`, as in `$1`, is an ordinary character.
        private mutating func skipDollarQuoted() {
            let isInName = place > 0 && Self.isWord(text[place - 1])
            var end = place + 1
            while end < text.count, Self.isWord(text[end]) { end += 1 }
            let isNumber = place + 1 < text.count && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[place + 1])
            guard end < text.count, text[end] == UInt8(ascii: "$"), !isInName, !isNumber else {
                place += 1
                return
            }
            let delimiter = Array(text[place...end])
            place = end + 1
            skip(through: delimiter)
        }

        private static func isWord(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
                true
            default: false
            }
        }
    }
}
