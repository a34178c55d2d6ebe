import TrolleyJournal

// A checklist in Markdown (CommonMark, with GitHub's task list items). The first line of Trolley's own documents says so; their
// lines are taken literally. In other documents, bullets and quantities are parsed as in pasted lines.

extension ListDocument {
    private static let mark = "<!-- trolley-list -->"

    var markdown: String {
        var lines = [Self.mark]
        if let name { lines += ["", "# " + name.escapedForMarkdown] }
        if !aisles.isEmpty {
            let aisles = aisles.map { $0.escapedForComment }.joined(separator: " | ")
            lines += ["", String(joining: "<!-- aisles: ", aisles, " -->")]
        }
        var aisle: FieldValue?
        for (index, item) in items.enumerated() {
            let next = item.fields[Fields.aisle]
            if next != aisle {
                lines += ["", next?.string.map { "## " + $0.escapedForMarkdown } ?? "---", ""]
                aisle = next
            } else if index == 0 {
                lines.append("")
            }
            var line = (item.isMarkedOff ? "- [x] " : "- [ ] ") + item.text.escapedForMarkdown
            if let quantity = item.fields[Fields.quantity]?.string {
                line += String(joining: " *(", quantity.escapedForMarkdown, ")*")
            }
            lines.append(line)
            if let note = item.fields[Fields.note]?.string {
                lines.append(
                    "  "
                        + note.split(separator: "\n", omittingEmptySubsequences: false)
                        .map { String($0).escapedForMarkdown }.joined(separator: "<br>"))
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    init(markdown text: String) throws(DocumentError) {
        self.init()
        var reader = MarkdownReader(isOwn: text.hasPrefix(Self.mark))
        for line in text.split(omittingEmptySubsequences: true, whereSeparator: { $0.isNewline }) {
            reader.read(String(line))
            if reader.document.items.count > Self.mostItems { throw .tooManyItems }
        }
        self = reader.document
    }
}

private struct MarkdownReader {
    /// Whether Trolley wrote it.
    let isOwn: Bool
    var document = ListDocument()
    private var aisle: String?
    /// Whether the previous line is an item that the next line may continue.
    private var mayContinue = false

    init(isOwn: Bool) { self.isOwn = isOwn }

    mutating func read(_ line: String) {
        let content = line.trimmingSpace
        if content.isEmpty { return }
        // An indented line is a note even if it looks like another element.
        if isOwn, mayContinue, line.hasPrefix("  ") { return readNote(content) }
        if content.hasPrefix("<!--") {
            if isOwn, let aisles = content.between("<!-- aisles: ", " -->") {
                document.aisles = aisles.components(" | ").map { $0.unescapedFromMarkdown }
            }
            return
        }
        let hashes = content.prefix { $0 == "#" }.count
        if (1...6).contains(hashes), content.dropFirst(hashes).first == " " {
            return readHeading(String(content.dropFirst(hashes + 1)), level: hashes)
        }
        if content == "---" || content == "***" || content == "___" {
            aisle = nil
            mayContinue = false
            return
        }
        let isIndented = line.hasPrefix("  ") || line.hasPrefix("\t")
        if isIndented, mayContinue, !content.beginsWithMarker { return readNote(content) }
        if isOwn { readOwn(content) } else { readLine(content) }
    }

    private mutating func readHeading(_ heading: String, level: Int) {
        mayContinue = false
        let text = (isOwn ? heading : heading.trimmingSpace).unescapedFromMarkdown
        if level == 1, document.name == nil, document.items.isEmpty { document.name = text } else { aisle = text }
    }

    private mutating func readNote(_ content: String) {
        let note = content.components("<br>").map { $0.unescapedFromMarkdown }.joined(separator: "\n")
        let index = document.items.endIndex - 1
        let before = document.items[index].fields[Fields.note]?.string
        document.items[index].fields[Fields.note] = .string(before.map { $0 + "\n" + note } ?? note)
    }

    private mutating func readOwn(_ content: String) {
        let isTicked = content.hasPrefix("- [x] ")
        guard isTicked || content.hasPrefix("- [ ] ") else { return readLine(content) }
        var text = String(content.dropFirst(6))
        var fields = Fields()
        if let parts = text.endingInQuantity {
            text = parts.text
            fields[Fields.quantity] = .string(parts.quantity.unescapedFromMarkdown)
        }
        fields[Fields.text] = .string(text.unescapedFromMarkdown)
        append(NewItem(fields: fields, isMarkedOff: isTicked))
    }

    private mutating func readLine(_ content: String) {
        // If somebody has edited one of Trolley's lines, the quantity is still at the end.
        if let parts = content.endingInQuantity, let line = ItemLine(parts.text, quantities: false) {
            var item = NewItem(line)
            item.fields[Fields.text] = .string(line.text.unescapedFromMarkdown)
            item.fields[Fields.quantity] = .string(parts.quantity.unescapedFromMarkdown)
            return append(item)
        }
        guard let marked = ItemLine(content, quantities: false) else { return }
        guard var line = ItemLine("- " + marked.text.unescapedFromMarkdown) else { return }
        line.isMarkedOff = marked.isMarkedOff
        append(NewItem(line))
        mayContinue = content.beginsWithMarker
    }

    private mutating func append(_ item: NewItem) {
        var item = item
        item.fields[Fields.aisle] = aisle.map { .string($0) }
        document.items.append(item)
        mayContinue = true
    }
}

extension String {
    /// The text with Markdown's special characters escaped.
    fileprivate var escapedForMarkdown: String {
        var escaped = ""
        let scalars = Array(unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let isAtEdge = index == 0 || index == scalars.count - 1
            if scalar.value < 0x20 || (0x7F...0xA0).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
                || isAtEdge && (scalar.properties.isWhitespace || scalar.joinsNeighbours)
            {
                escaped += String(joining: "&#", String(scalar.value), ";")
            } else {
                if "\\`*_[]<>#&~|".unicodeScalars.contains(scalar) { escaped += "\\" }
                escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The same inside a comment, which two hyphens would end.
    fileprivate var escapedForComment: String { escapedForMarkdown.replacingAll("-", "\\-") }

    /// The text as Markdown shows it: backslash escapes and numeric character references are resolved.
    fileprivate var unescapedFromMarkdown: String {
        // By scalars, because the character after a backslash may have a combining accent.
        let scalars = Array(unicodeScalars)
        var text = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            if scalars[index] == "\\", index + 1 < scalars.count, scalars[index + 1].isPunctuation {
                text.append(scalars[index + 1])
                index += 2
            } else if let (scalar, length) = scalars[index...].numberedCharacter {
                text.append(scalar)
                index += length
            } else {
                text.append(scalars[index])
                index += 1
            }
        }
        return String(text)
    }

    /// A text that ends in `*(…)*`, as Trolley writes quantities.
    fileprivate var endingInQuantity: (text: String, quantity: String)? {
        // By scalars, because some of them form one character with the sign after them: U+0600 and a backslash.
        let scalars = unicodeScalars
        guard scalars.suffix(2).elementsEqual(")*".unicodeScalars) else { return nil }
        let end = scalars.index(scalars.endIndex, offsetBy: -2)
        var index = scalars.startIndex
        while index < end {
            if scalars[index] == "\\" {
                index = scalars.index(after: index)
                if index < end { index = scalars.index(after: index) }
                continue
            }
            if scalars[index..<end].starts(with: "*(".unicodeScalars) {
                let inside = scalars.index(index, offsetBy: 2)
                return (String(scalars[..<index]).trimmingSpace, String(scalars[inside..<end]))
            }
            index = scalars.index(after: index)
        }
        return nil
    }

    /// Whether it is a list item.
    fileprivate var beginsWithMarker: Bool {
        ItemLine(self, quantities: false)?.text.utf8.count ?? 0 < trimmingSpace.utf8.count
    }

    fileprivate func between(_ start: String, _ end: String) -> String? {
        guard hasPrefix(start), hasSuffix(end), count >= start.count + end.count else { return nil }
        return String(dropFirst(start.count).dropLast(end.count))
    }

    /// The pieces between separators.
    fileprivate func components(_ separator: String) -> [String] {
        var parts = [""]
        var rest = self[...]
        while let first = rest.first {
            if rest.hasPrefix(separator) {
                parts.append("")
                rest = rest.dropFirst(separator.count)
            } else {
                parts[parts.count - 1].append(first)
                rest = rest.dropFirst()
            }
        }
        return parts
    }

    fileprivate func replacingAll(_ text: String, _ other: String) -> String {
        components(text).joined(separator: other)
    }
}

extension Unicode.Scalar {
    /// Whether a space before it or after it becomes one character with it: a combining mark at a text's beginning would take
    /// the space of `- [ ] `.
    fileprivate var joinsNeighbours: Bool {
        var text = String.UnicodeScalarView()
        text.append(" ")
        text.append(self)
        text.append(" ")
        return String(text).count < 3
    }

    /// Whether it is ASCII punctuation, which Markdown allows to escape with a backslash.
    fileprivate var isPunctuation: Bool { "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".unicodeScalars.contains(self) }
}

extension ArraySlice<Unicode.Scalar> {
    /// A numeric character reference, such as `&#10;`, at the start.
    fileprivate var numberedCharacter: (Unicode.Scalar, length: Int)? {
        guard starts(with: "&#".unicodeScalars), let end = prefix(10).firstIndex(of: ";") else { return nil }
        var digits = String.UnicodeScalarView()
        digits.append(contentsOf: self[(startIndex + 2)..<end])
        guard let number = UInt32(String(digits)), number > 0, let scalar = Unicode.Scalar(number) else { return nil }
        return (scalar, end + 1 - startIndex)
    }
}

extension String {
    /// Without the white space around it.
    var trimmingSpace: String {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
