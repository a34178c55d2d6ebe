import TrolleyJournal
import TrolleyWire

/// An object of a message, with the position of each value. A member that is null counts as absent.
struct JSONObject {
    private let message: JSONMessage
    private var values: [(key: JSONText, value: JSONReader)] = []

    init(in message: JSONMessage) { self.message = message }

    @inline(never) mutating func look(
        through reader: inout JSONReader, streaming streamed: JSONMessage.Streamed = .nothing
    ) throws(WireError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try reader.null() { continue }
            if try message.stream(key, streamed, &reader) { continue }
            values.append((key, reader))
            try reader.skip()
        }
    }

    /// Records an error in the message.
    @inline(never) func fail(_ what: String) { message.note(.invalid(what)) }

    @inline(never) private func missing(_ key: StaticString) { fail(String(joining: key.description, " is missing")) }

    func value<Value>(
        _ key: StaticString, _ read: (inout JSONReader) throws(WireError) -> Value
    ) -> Value? {
        guard var reader = reader(key) else { return nil }
        do throws(WireError) {
            return try read(&reader)
        } catch {
            message.note(error)
            return nil
        }
    }

    @inline(never) private func reader(_ key: StaticString) -> JSONReader? {
        values.last { $0.key == key }?.value
    }

    // MARK: Members; nil, false or empty when absent

    @inline(never) func string(_ key: StaticString) -> String? {
        value(key) { reader throws(WireError) in try reader.string() }
    }

    @inline(never) func integer(_ key: StaticString) -> Int64? {
        value(key) { reader throws(WireError) in try reader.integer() }
    }

    /// A count: a billion at the most, on every platform. An `Int` has 32 bits in WebAssembly, and something may be added.
    @inline(never) func count(_ key: StaticString) -> Int? {
        integer(key).map { Int(Swift.min(Swift.max($0, -1_000_000_000), 1_000_000_000)) }
    }

    @inline(never) func bool(_ key: StaticString) -> Bool {
        value(key) { reader throws(WireError) in try reader.bool() } ?? false
    }

    @inline(never) func timestamp(_ key: StaticString) -> Timestamp? {
        value(key) { reader throws(WireError) in try reader.timestamp() }
    }

    @inline(never) func bits(_ key: StaticString) -> UUIDBits? {
        value(key) { reader throws(WireError) in try reader.identifier(EntryID.self).bits }
    }

    func identifier<ID: Identifier>(_ key: StaticString, _ type: ID.Type = ID.self) -> ID? { bits(key).map { ID($0) } }

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

    @inline(never) func object(_ key: StaticString) -> JSONObject? {
        value(key) { reader throws(WireError) in try object(from: &reader) }
    }

    @inline(never) func objects(_ key: StaticString) -> [JSONObject]? {
        guard reader(key) != nil else { return nil }
        var objects: [JSONObject] = []
        elements(key) { reader throws(WireError) in objects.append(try object(from: &reader)) }
        return objects
    }

    private func object(from reader: inout JSONReader) throws(WireError) -> JSONObject {
        var object = JSONObject(in: message)
        try object.look(through: &reader)
        return object
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

    @inline(never) func entry(_ key: StaticString) -> JournalEntry? {
        value(key) { reader throws(WireError) in try JournalEntry(from: &reader) }
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

    // MARK: Required members

    @inline(never) func requiredString(_ key: StaticString) -> String {
        if let string = string(key) { return string }
        missing(key)
        return ""
    }

    @inline(never) func requiredTimestamp(_ key: StaticString) -> Timestamp {
        if let time = timestamp(key) { return time }
        missing(key)
        return Timestamp(milliseconds: 0)
    }

    @inline(never) func requiredBits(_ key: StaticString) -> UUIDBits {
        if let bits = bits(key) { return bits }
        missing(key)
        return UUIDBits(high: 0, low: 0)
    }

    @inline(never) func requiredObject(_ key: StaticString) -> JSONObject {
        if let object = object(key) { return object }
        missing(key)
        return JSONObject(in: message)
    }

    @inline(never) func requiredEntry(_ key: StaticString) -> JournalEntry {
        if let entry = entry(key) { return entry }
        missing(key)
        return JournalEntry(id: EntryID(UUIDBits(high: 0, low: 0)), operation: .edit, deviceSequence: 0)
    }
}

extension String {
    /// Whether its UTF-8 bytes are these: `==` would bring Unicode's rules in.
    @inline(never) func isText(_ text: StaticString) -> Bool {
        withBytes { $0.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }
    }
}
