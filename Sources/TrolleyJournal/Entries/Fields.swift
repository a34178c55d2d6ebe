/// The fields of an entry or item, by key, in the order of the keys' UTF-8 bytes.
///
/// The known keys are `text`, `quantity`, `note` and `aisle`; any other key is kept unchanged. Keys and values are
/// equal when their UTF-8 bytes are equal: 'é' as one scalar and 'é' as two scalars are different texts.
public struct Fields: Hashable, Sendable {
    public typealias Element = (key: String, value: FieldValue)

    /// The value of `text` when it is a string. Most entries have only this field, so storing it separately saves them
    /// an allocation.
    private var plainText: String?
    /// All other fields, sorted by key; each key once.
    private var others: [Pair] = []

    private struct Pair: Hashable, Sendable {
        var key: String
        var value: FieldValue

        static func == (left: Pair, right: Pair) -> Bool {
            left.key.hasSameBytes(as: right.key) && left.value == right.value
        }

        func hash(into hasher: inout Hasher) {
            key.hashBytes(into: &hasher)
            hasher.combine(value)
        }
    }

    public static let text = "text"
    public static let quantity = "quantity"
    public static let note = "note"
    public static let aisle = "aisle"
    /// Of a list: the order of its aisles, one a line; see ``JournalEntry/aisles``.
    public static let aisles = "aisles"

    public init() {}

    public var count: Int { others.count + (plainText == nil ? 0 : 1) }
    public var isEmpty: Bool { plainText == nil && others.isEmpty }

    /// The value of a key. Setting nil removes the key (an entry that clears a field has `.null`).
    public subscript(key: String) -> FieldValue? {
        get {
            if let plainText, key.hasSameBytes(as: Fields.text) { return .string(plainText) }
            // There are few keys, so a linear search is fastest.
            return others.first { $0.key.hasSameBytes(as: key) }?.value
        }
        set {
            guard key.hasSameBytes(as: Fields.text) else { return setOther(key, to: newValue) }
            if case .string(let string)? = newValue {
                plainText = string
                setOther(Fields.text, to: nil)
            } else {
                plainText = nil
                setOther(Fields.text, to: newValue)
            }
        }
    }

    private mutating func setOther(_ key: String, to newValue: FieldValue?) {
        let index = others.firstIndex { !$0.key.bytesPrecede(key) } ?? others.endIndex
        let found = index < others.endIndex && others[index].key.hasSameBytes(as: key)
        switch (newValue, found) {
        case (let value?, true): others[index].value = value
        case (let value?, false): others.insert(Pair(key: key, value: value), at: index)
        case (nil, true): others.remove(at: index)
        case (nil, false): break
        }
    }

    public static func == (left: Fields, right: Fields) -> Bool {
        left.plainText.hasSameBytes(as: right.plainText) && left.others == right.others
    }

    public func hash(into hasher: inout Hasher) {
        plainText.hashBytes(into: &hasher)
        hasher.combine(others)
    }
}

extension Fields: Swift.Sequence {
    public func makeIterator() -> Iterator { Iterator(fields: self) }

    public struct Iterator: IteratorProtocol {
        private let others: [Pair]
        private var plainText: String?
        private var position = 0

        fileprivate init(fields: Fields) {
            others = fields.others
            plainText = fields.plainText
        }

        public mutating func next() -> Element? {
            if let text = plainText, position == others.endIndex || Fields.text.bytesPrecede(others[position].key) {
                plainText = nil
                return (Fields.text, .string(text))
            }
            guard position < others.endIndex else { return nil }
            defer { position += 1 }
            return (others[position].key, others[position].value)
        }
    }
}

extension Fields: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, FieldValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }
}
