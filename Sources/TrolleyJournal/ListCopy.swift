#if !hasFeature(Embedded)
    internal import Crypto
#endif

/// A new list that shows what another list showed, for another owner or service.
///
/// Messages come along as messages of the new owner, and name the person who wrote them (``Message/origin``). Reactions don't:
/// they are other people's.
///
/// Its ids are derived from the new owner and from the other list's ids. Making the same copy again gives the same list
/// and the same entries, so a repeated copy duplicates nothing.
public struct ListCopy: Hashable, Sendable {
    public let list: ListID
    /// The entries of the copy, in order, numbered from 1.
    public let entries: [JournalEntry]

    /// - Parameters:
    ///   - state: the state to copy.
    ///   - messages: the list's messages, in order.
    ///   - names: the names of the people who wrote them.
    ///   - source: the list that showed it.
    ///   - owner: the owner of the copy.
    ///   - attempt: 0; a higher number where the id that it gives is taken.
    public init(
        of state: ListState, messages: [Message] = [], names: [AccountID: String] = [:], from source: ListID,
        for owner: AccountID, attempt: Int = 0
    ) {
        var builder = Builder(seed: "trolley-copy-1 \(owner) \(source) \(attempt)", list: source)
        list = builder.identifier("list", like: source)
        if let name = state.name { builder.append("name", .renameList, fields: [Fields.text: .string(name)]) }
        if let colour = state.colour { builder.append("colour", .recolourList, fields: [Fields.text: .string(colour)]) }
        if let aisles = ListState.text(of: state.aisles) {
            builder.append("aisles", .recolourList, fields: [Fields.aisles: .string(aisles)])
        }
        for shop in state.shops {
            let order = ListState.text(of: shop.aisles) ?? ""
            builder.append("shop \(shop.name)", .recolourList, fields: [Fields.aisles(at: shop.name): .string(order)])
        }
        var above: ItemID?
        for item in state.items {
            let copy: ItemID = builder.identifier("item \(item.id)", like: item.id)
            let parts = item.fields.parts
            builder.append("add \(item.id)", .add, item: copy, after: above, fields: parts[0])
            for (index, part) in parts.enumerated().dropFirst() {
                builder.append("edit \(item.id) \(index)", .edit, item: copy, fields: part)
            }
            if item.markedOff { builder.append("off \(item.id)", .markOff, item: copy) }
            above = copy
        }
        let items = Set(state.items.lazy.map { $0.id })
        for message in messages {
            builder.append(message, by: message.author.flatMap { names[$0] }, about: items)
        }
        entries = builder.entries
    }

    private struct Builder {
        let seed: String
        let list: ListID
        var entries: [JournalEntry] = []

        /// An id that is derived from the seed and `purpose`. It has the time of the id `other`, so that ids still rise
        /// with time.
        func identifier<ID: Identifier>(_ purpose: String, like other: some Identifier) -> ID {
            let hash = Array(SHA256.hash(data: Array("\(seed) \(purpose)".utf8)))
            func word(_ range: Range<Int>) -> UInt64 { hash[range].reduce(0) { $0 << 8 | UInt64($1) } }
            return .version7(
                at: Timestamp(milliseconds: Int64(other.bits.high >> 16)), random: (word(0..<8), word(8..<16)))
        }

        mutating func append(
            _ purpose: String, _ operation: Operation, item: ItemID? = nil, after: ItemID? = nil, fields: Fields = [:]
        ) {
            entries.append(
                JournalEntry(
                    id: identifier("entry \(purpose)", like: list), operation: operation, item: item, after: after,
                    fields: fields, batch: identifier("batch", like: list), deviceSequence: Int64(entries.count + 1)))
        }

        /// - Parameters:
        ///   - name: of the person who wrote the message.
        ///   - items: the items of the copied list.
        mutating func append(_ message: Message, by name: String?, about items: Set<ItemID>) {
            var fields = message.fields
            // A message that was imported before keeps its origin.
            if message.origin == nil {
                fields[Fields.writtenBy] = name.map { .string($0) }
                fields[Fields.writtenAt] = .string(message.madeAt.description)
            }
            // About an item that is gone, it becomes a message on the list.
            var item: ItemID?
            if let about = message.item, items.contains(about) { item = identifier("item \(about)", like: about) }
            append("message \(message.id)", .message, item: item, fields: fields)
            guard message.isPinned, let copy = entries.last?.id else { return }
            append("pin \(message.id)", .pin, fields: [Fields.message: .string(copy.description)])
        }
    }
}

extension Fields {
    /// The fields in parts that each fit into an entry. Together, an item's fields may be larger than one entry may be.
    fileprivate var parts: [Fields] {
        let size = reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
        if count <= 8, size <= 1024 { return [self] }
        var first = Fields()
        first[Fields.text] = self[Fields.text]
        return [first] + filter { !$0.key.hasSameBytes(as: Fields.text) }.map { [$0.key: $0.value] }
    }
}

extension FieldValue {
    fileprivate var size: Int {
        switch self {
        case .null: 4
        case .string(let text), .json(let text): text.utf8.count
        }
    }
}
