import TrolleyJournal
import TrolleyWire

// A purchase as JavaScript stores it: the web app keeps those whose entries were compressed.

extension Purchase {
    init(_ object: JSONObject) {
        self.init(
            entry: EntryID(object.requiredBits("entry")), text: object.requiredString("text"),
            quantity: object.string("quantity"), aisle: object.string("aisle"), at: object.requiredTimestamp("at"))
        every = object.string("every").flatMap { Recurrence(written: $0) }
        shop = object.string("shop")
        item = object.identifier("item")
        author = object.identifier("by")
        number = object.integer("number") ?? 0
        batch = object.identifier("batch")
        added = object.timestamp("added")
        addedBy = object.identifier("addedBy")
    }

    func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("entry", bits: entry.bits)
        writer.member("item", bits: item?.bits)
        writer.member("text", text)
        writer.member("quantity", quantity)
        writer.member("aisle", aisle)
        if let every { writer.member("every", every.field.string) }
        writer.member("shop", shop)
        writer.member("at", at)
        writer.member("by", bits: author?.bits)
        writer.member("number", number: number)
        writer.member("batch", bits: batch?.bits)
        writer.member("added", added)
        writer.member("addedBy", bits: addedBy?.bits)
        writer.close()
    }
}
