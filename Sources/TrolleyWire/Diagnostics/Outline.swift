/// JSON as indented text for a person: one line per member, in document order.
public struct Outline {
    private var lines: [String] = []
    private let counted: Set<String>

    /// - Parameter counted: members whose arrays are counted instead of written.
    public static func text(
        of json: some Collection<UInt8>, counting counted: Set<String> = []
    ) throws(WireError) -> String {
        try JSONReader.read(json) { reader throws(WireError) in
            var outline = Outline(counted: counted)
            try outline.members(of: &reader, indent: "")
            return outline.lines.joined(separator: "\n")
        }
    }

    private init(counted: Set<String>) { self.counted = counted }

    /// - Parameter first: the first line's prefix instead of the indent.
    private mutating func members(
        of reader: inout JSONReader, indent: String, first: String? = nil
    ) throws(WireError) {
        var lead = first
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try reader.null() { continue }
            let start = lines.count
            try member(Self.shown(key.string), of: &reader, indent: indent)
            if let mark = lead, lines.count > start {
                lines[start] = mark + lines[start].dropFirst(mark.count)
                lead = nil
            }
        }
    }

    private mutating func member(_ key: String, of reader: inout JSONReader, indent: String) throws(WireError) {
        switch try reader.peek() {
        case UInt8(ascii: "{"):
            let place = lines.count
            lines.append("\(indent)\(key):")
            try members(of: &reader, indent: indent + "  ")
            if lines.count == place + 1 { lines[place] += " none" }
        case UInt8(ascii: "["):
            try array(key, of: &reader, indent: indent)
        default:
            lines.append("\(indent)\(key): \(try scalar(&reader))")
        }
    }

    private mutating func array(_ key: String, of reader: inout JSONReader, indent: String) throws(WireError) {
        let place = lines.count
        lines.append("\(indent)\(key):")
        var scalars: [String] = []
        var count = 0
        try reader.beginArray()
        while try reader.nextElement() {
            count += 1
            if counted.contains(key) {
                try reader.skip()
            } else if try reader.peek() == UInt8(ascii: "{") {
                try members(of: &reader, indent: indent + "    ", first: indent + "  - ")
            } else {
                scalars.append(try scalar(&reader))
            }
        }
        if counted.contains(key) {
            lines[place] += " \(count)"
        } else if lines.count == place + 1 {
            lines[place] += " " + (scalars.isEmpty ? "none" : scalars.joined(separator: ", "))
        }
    }

    /// A text of the document, which others may have written.
    private static func shown(_ text: String) -> String {
        #if hasFeature(Embedded)
            text
        #else
            text.inOneLine
        #endif
    }

    private func scalar(_ reader: inout JSONReader) throws(WireError) -> String {
        if try reader.peek() == UInt8(ascii: "\"") { return Self.shown(try reader.string()) }
        let range = try reader.skip()
        return String(decoding: reader.bytes[range], as: UTF8.self)
    }
}
