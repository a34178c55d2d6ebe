/// The decisions on the fields of an item other than `text`, by key. It includes cleared fields, because an earlier write
/// that arrives later must still lose.
///
/// Finding a key takes the same time however many keys an item has. Nothing limits their number: each entry may write
/// 16 others.
struct FoldedFields: Sendable {
    struct Field: Sendable {
        var key: String
        var decision: Decision<FieldValue>
    }

    /// Up to this number of keys, a search through all is faster than a dictionary, and needs less memory.
    private static let maxSearched = 16

    /// In the order in which the keys came first.
    private(set) var all: [Field] = []
    /// The place of each key; empty while there are few.
    private var places: [FieldKey: Int] = [:]

    subscript(key: String) -> Decision<FieldValue>? { place(of: key).map { all[$0].decision } }

    mutating func merge(_ value: FieldValue, of key: String, at stamp: Stamp, by entry: EntryID) {
        if let place = place(of: key) {
            all[place].decision.merge(value, at: stamp, by: entry)
            return
        }
        all.append(Field(key: key, decision: Decision(value, at: stamp, by: entry)))
        if !places.isEmpty {
            places[FieldKey(text: key)] = all.count - 1
        } else if all.count > Self.maxSearched {
            for place in all.indices { places[FieldKey(text: all[place].key)] = place }
        }
    }

    /// The fields that are set.
    /// - Parameter text: the value of `text`, which is kept elsewhere; null: none.
    func shown(text: FieldValue? = nil) -> Fields {
        Fields(text: text, others: all.lazy.map { (key: $0.key, value: $0.decision.value) })
    }

    private func place(of key: String) -> Int? {
        if !places.isEmpty { return places[FieldKey(text: key)] }
        return all.firstIndex { $0.key.hasSameBytes(as: key) }
    }
}

/// A field's key, compared by its bytes.
private struct FieldKey: Hashable {
    let text: String

    static func == (left: FieldKey, right: FieldKey) -> Bool { left.text.hasSameBytes(as: right.text) }

    func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
}
