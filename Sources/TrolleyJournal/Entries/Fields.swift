/// The fields of an entry or item, by key, in the order of the keys' UTF-8 bytes.
///
/// The known keys are `text`, `quantity`, `note`, `aisle`, `shop` and `every`; any other key is kept unchanged. Keys and values are
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
    /// Where an item is bought; of a `markOff`, where it was bought. See ``Shop``.
    public static let shop = "shop"
    /// How often the item is bought again; see ``Recurrence``.
    public static let every = "every"
    /// Of a list: the order of its aisles, one a line.
    public static let aisles = "aisles"
    static let name = "name"
    static let colour = "colour"
    /// Of a list, beside ``aisles``: what its aisles were called before.
    package static let renamedAisles = "renamedAisles"

    public init() {}

    /// - Parameters:
    ///   - text: the value of `text`; null: none.
    ///   - others: the values of other keys, each key once, in any order; null: none.
    init(text: FieldValue?, others: some Collection<Element>) {
        self.init()
        if let text, text != .null { self[Fields.text] = text }
        // Sorting many is faster than putting each where it belongs.
        guard others.count > Fields.maxSearched else {
            for (key, value) in others where value != .null { setOther(key, to: value) }
            return
        }
        for (key, value) in others where value != .null { self.others.append(Pair(key: key, value: value)) }
        // `text` that is no string is among them.
        self.others = self.others.inOrder { $0.key.bytesPrecede($1.key) }
    }

    public var count: Int { others.count + (plainText == nil ? 0 : 1) }
    public var isEmpty: Bool { plainText == nil && others.isEmpty }

    /// The value of a key. Setting nil removes the key (an entry that clears a field has `.null`).
    public subscript(key: String) -> FieldValue? {
        get {
            if let plainText, key.hasSameBytes(as: Fields.text) { return .string(plainText) }
            let index = place(of: key)
            return index < others.endIndex && others[index].key.hasSameBytes(as: key) ? others[index].value : nil
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
        let index = place(of: key)
        let found = index < others.endIndex && others[index].key.hasSameBytes(as: key)
        switch (newValue, found) {
        case (let value?, true): others[index].value = value
        case (let value?, false): others.insert(Pair(key: key, value: value), at: index)
        case (nil, true): others.remove(at: index)
        case (nil, false): break
        }
    }

    /// The index of the first other key that is not before this one.
    private func place(of key: String) -> Int {
        // An entry has few keys, and then this is fastest. An item may have many.
        if others.count > Fields.maxSearched {
            return others.partitioningIndex { !$0.key.bytesPrecede(key) }
        }
        return others.firstIndex { !$0.key.bytesPrecede(key) } ?? others.endIndex
    }

    private static let maxSearched = 16

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
