package import TrolleyJournal

// A purchase whose entries were compressed, as devices store it. In a browser its id and its time are among its members; in a
// file they stand beside them.

extension Purchase {
    /// Reads a purchase that a browser has stored.
    package init(_ object: JSONObject) {
        self.init(object, entry: EntryID(object.requiredBits("entry")), at: object.requiredTimestamp("at"))
        author = object.identifier("by")
        number = object.integer("number") ?? 0
    }

    private init(_ object: JSONObject, entry: EntryID, at: Timestamp) {
        self.init(
            entry: entry, text: object.requiredString("text"), quantity: object.string("quantity"),
            aisle: object.string("aisle"), at: at)
        every = object.string("every").flatMap { Recurrence(written: $0) }
        shop = object.string("shop")
        item = object.identifier("item")
        batch = object.identifier("batch")
        added = object.timestamp("added")
        addedBy = object.identifier("addedBy")
    }

    /// Writes a purchase for a browser.
    package func write(to writer: inout JSONWriter) {
        writer.open()
        writer.member("entry", bits: entry.bits)
        writer.member("at", at)
        writer.member("by", bits: author?.bits)
        writer.member("number", number: number)
        writeMembers(to: &writer)
        writer.close()
    }

    private func writeMembers(to writer: inout JSONWriter) {
        writer.member("item", bits: item?.bits)
        writer.member("text", text)
        writer.member("quantity", quantity)
        writer.member("aisle", aisle)
        if let every { writer.member("every", every.field.string) }
        writer.member("shop", shop)
        writer.member("batch", bits: batch?.bits)
        writer.member("added", added)
        writer.member("addedBy", bits: addedBy?.bits)
    }

    #if !hasFeature(Embedded)
        /// The purchase for a file, without its id and its time.
        package var json: [UInt8] {
            var writer = JSONWriter(capacity: 512)
            writer.object { writer in
                writer.member("author", ifAny: author)
                writer.member("number", String(number))
                writeMembers(to: &writer)
            }
            return writer.bytes
        }

        /// Reads a purchase from a file. Earlier versions of this program stored the text, the quantity and the aisle only.
        package init(json: some Collection<UInt8>, entry: EntryID, at: Timestamp) throws(WireError) {
            self = try JSONObject.read(json) { object in
                var purchase = Purchase(object, entry: entry, at: at)
                purchase.author = object.identifier("author")
                purchase.number = object.string("number").flatMap { Int64($0) } ?? 0
                return purchase
            }
        }
    #endif
}
