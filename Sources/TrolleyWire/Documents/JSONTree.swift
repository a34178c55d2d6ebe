/// A JSON document of unknown structure, as a tree.
indirect enum JSONTree {
    case object([(key: String, value: JSONTree)])
    case array([JSONTree])
    case string(String)
    case bool(Bool)
    /// The value's source text.
    case number(String)
    case null

    /// nil when the text isn't JSON, or is nested deeper than ``JSONReader/maximumDepth``.
    init?(_ text: String) {
        let bytes = Array((text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text).utf8)
        do {
            self = try JSONReader.read(bytes) { reader throws(WireError) in try JSONTree(from: &reader, bytes) }
        } catch {
            return nil
        }
    }

    private init(from reader: inout JSONReader, _ bytes: [UInt8]) throws(WireError) {
        switch try reader.kind() {
        case .object:
            var members: [(key: String, value: JSONTree)] = []
            try reader.beginObject()
            while let key = try reader.nextKey() { members.append((key.string, try JSONTree(from: &reader, bytes))) }
            self = .object(members)
        case .array:
            var elements: [JSONTree] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try JSONTree(from: &reader, bytes)) }
            self = .array(elements)
        case .string: self = .string(try reader.string())
        case .bool: self = .bool(try reader.bool())
        case .null:
            _ = try reader.null()
            self = .null
        case .number: self = .number(String(decoding: bytes[try reader.skip()], as: UTF8.self))
        }
    }

    subscript(_ keys: String...) -> JSONTree? {
        guard case .object(let members) = self else { return nil }
        for key in keys {
            if let member = members.first(where: { $0.key == key }) { return member.value }
        }
        return nil
    }

    /// The text of a string or a number; nil for a blank one.
    var text: String? {
        switch self {
        case .string(let text): text.allSatisfy { $0.isWhitespace } ? nil : text
        case .number(let number): number
        default: nil
        }
    }

    var array: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }
    var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}
