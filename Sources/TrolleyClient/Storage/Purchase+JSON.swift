import TrolleyJournal
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Purchase {
    /// The keys of what isn't a field of the item.
    private enum Key {
        static let item = "item"
        static let author = "author"
        static let number = "number"
        static let batch = "batch"
        static let added = "added"
        static let addedBy = "addedBy"
    }

    /// The purchase as it is stored, without its id and time.
    var json: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        var fields: Fields = [Fields.text: .string(text)]
        fields[Fields.quantity] = quantity.map { .string($0) }
        fields[Fields.aisle] = aisle.map { .string($0) }
        fields[Fields.every] = every?.field
        fields[Fields.shop] = shop.map { .string($0) }
        fields[Key.item] = item.map { .string($0.description) }
        fields[Key.author] = author.map { .string($0.description) }
        fields[Key.number] = .string(String(number))
        fields[Key.batch] = batch.map { .string($0.description) }
        fields[Key.added] = added.map { .string($0.description) }
        fields[Key.addedBy] = addedBy.map { .string($0.description) }
        fields.write(to: &writer)
        return writer.bytes
    }

    /// Earlier versions of this program stored the text, the quantity and the aisle only.
    init(json: Data, entry: EntryID, at: Timestamp) throws {
        let fields = try JSONReader.read(json) { reader throws(WireError) in try Fields(from: &reader) }
        self.init(
            entry: entry, text: fields[Fields.text]?.string ?? "", quantity: fields[Fields.quantity]?.string,
            aisle: fields[Fields.aisle]?.string, at: at)
        every = Recurrence(fields[Fields.every])
        shop = fields[Fields.shop]?.string
        item = fields[Key.item]?.string.flatMap { ItemID($0) }
        author = fields[Key.author]?.string.flatMap { AccountID($0) }
        number = fields[Key.number]?.string.flatMap { Int64($0) } ?? 0
        batch = fields[Key.batch]?.string.flatMap { BatchID($0) }
        added = fields[Key.added]?.string.flatMap { Timestamp($0) }
        addedBy = fields[Key.addedBy]?.string.flatMap { AccountID($0) }
    }
}
