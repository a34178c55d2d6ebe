/// An entry's or item's fields, by key, in the order of their keys' UTF-8 bytes.
///
/// `text`, `quantity`, `note` and `aisle` are known; any other key is kept as it came.
public struct Fields: Hashable, Sendable {
    public typealias Element = (key: String, value: FieldValue)

    /// Sorted by key; each key once.
    private var elements: [Pair]

    private struct Pair: Hashable, Sendable {
        var key: String
        var value: FieldValue
    }

    public static let text = "text"
    public static let quantity = "quantity"
    public static let note = "note"
    public static let aisle = "aisle"

    public init() { elements = [] }

    public var count: Int { elements.count }
    public var isEmpty: Bool { elements.isEmpty }

    /// The value at a key; setting nil takes the key out (an entry that clears a field says `.null`).
    public subscript(key: String) -> FieldValue? {
        get {
            // Few keys: a walk beats a search.
            elements.first { $0.key == key }?.value
        }
        set {
            let index = elements.firstIndex { !Fields.precedes($0.key, key) } ?? elements.endIndex
            let found = index < elements.endIndex && elements[index].key == key
            switch (newValue, found) {
            case (let value?, true): elements[index].value = value
            case (let value?, false): elements.insert(Pair(key: key, value: value), at: index)
            case (nil, true): elements.remove(at: index)
            case (nil, false): break
            }
        }
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}

extension Fields: Swift.Sequence {
    public func makeIterator() -> some IteratorProtocol<Element> {
        elements.lazy.map { (key: $0.key, value: $0.value) }.makeIterator()
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, FieldValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}

/// The value of a field.
public enum FieldValue: Hashable, Sendable {
    /// A JSON string: the only kind that the known fields have.
    case string(String)
    /// Clears the field.
    case null
    /// Any other JSON value of a field that this version doesn't know, as JSON text without white space
    /// (objects' keys in the order of their UTF-8 bytes, numbers as they were written).
    case json(String)

    public var string: String? {
        if case .string(let string) = self { string } else { nil }
    }
}

extension FieldValue: ExpressibleByStringLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
}
