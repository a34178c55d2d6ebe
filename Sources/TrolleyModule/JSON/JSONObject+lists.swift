import TrolleyJournal
import TrolleyWire

// Members that only the module's calls have.

extension JSONObject {
    @inline(never) func bitsOfMany(_ key: StaticString) -> [UUIDBits] {
        var bits: [UUIDBits] = []
        elements(key) { reader throws(WireError) in bits.append(try reader.identifier(EntryID.self).bits) }
        return bits
    }

    /// Inserted one by one: a set made of an array costs the module three times the code.
    @inline(never) func entryIDs(_ key: StaticString) -> Set<EntryID> {
        var ids: Set<EntryID> = []
        for bits in bitsOfMany(key) { ids.insert(EntryID(bits)) }
        return ids
    }

    func identifiers<ID: Identifier>(_ key: StaticString, _ type: ID.Type = ID.self) -> [ID] {
        bitsOfMany(key).map { ID($0) }
    }

    /// The texts of an array.
    @inline(never) func strings(_ key: StaticString) -> [String] {
        var strings: [String] = []
        elements(key) { reader throws(WireError) in strings.append(try reader.string()) }
        return strings
    }

    /// Reads each element of an array.
    @inline(never) func elements(_ key: StaticString, _ read: (inout JSONReader) throws(WireError) -> Void) {
        _ = value(key) { reader throws(WireError) in
            try reader.beginArray()
            while try reader.nextElement() { try read(&reader) }
        }
    }

    /// The origin in an entry that is offered again.
    func origin(_ key: StaticString) -> EntryOrigin? {
        value(key) { reader throws(WireError) in try JournalEntry.withOrigin(from: &reader).origin } ?? nil
    }

    @inline(never) func fields(_ key: StaticString) -> Fields {
        value(key) { reader throws(WireError) in try Fields(from: &reader) } ?? Fields()
    }

    /// A list's items, as its state has them.
    @inline(never) func items(_ key: StaticString) -> [Item] {
        var items: [Item] = []
        for item in objects(key) ?? [] {
            items.append(
                Item(
                    id: ItemID(item.requiredBits("id")), markedOff: item.bool("markedOff"),
                    fields: item.fields("fields")))
        }
        return items
    }

    /// A list's shops, as its state has them.
    @inline(never) func shops(_ key: StaticString) -> [Shop] {
        var shops: [Shop] = []
        for shop in objects(key) ?? [] {
            shops.append(Shop(name: shop.requiredString("name"), aisles: shop.strings("aisles")))
        }
        return shops
    }

    func learnedOrder(_ key: StaticString) -> LearnedOrder {
        value(key) { reader throws(WireError) in try LearnedOrder(from: &reader) } ?? LearnedOrder(places: [:])
    }
}
