package import TrolleyJournal

/// An object of a message, with the position of each value. A member that is null counts as absent.
package struct JSONObject {
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
    @inline(never) package func fail(_ what: String) { message.note(.invalid(what)) }

    @inline(never) private func missing(_ key: StaticString) { fail(String(joining: key.description, " is missing")) }

    package func value<Value>(
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

    @inline(never) package func string(_ key: StaticString) -> String? {
        value(key) { reader throws(WireError) in try reader.string() }
    }

    @inline(never) package func integer(_ key: StaticString) -> Int64? {
        value(key) { reader throws(WireError) in try reader.integer() }
    }

    /// A count: a billion at the most, on every platform. An `Int` has 32 bits in WebAssembly, and something may be added.
    @inline(never) package func count(_ key: StaticString) -> Int? {
        integer(key).map { Int(Swift.min(Swift.max($0, -1_000_000_000), 1_000_000_000)) }
    }

    @inline(never) package func bool(_ key: StaticString) -> Bool {
        value(key) { reader throws(WireError) in try reader.bool() } ?? false
    }

    @inline(never) package func timestamp(_ key: StaticString) -> Timestamp? {
        value(key) { reader throws(WireError) in try reader.timestamp() }
    }

    @inline(never) package func bits(_ key: StaticString) -> UUIDBits? {
        value(key) { reader throws(WireError) in try reader.identifier(EntryID.self).bits }
    }

    package func identifier<ID: Identifier>(_ key: StaticString, _ type: ID.Type = ID.self) -> ID? {
        bits(key).map { ID($0) }
    }

    @inline(never) package func object(_ key: StaticString) -> JSONObject? {
        value(key) { reader throws(WireError) in try object(from: &reader) }
    }

    @inline(never) package func objects(_ key: StaticString) -> [JSONObject]? {
        value(key) { reader throws(WireError) in
            var objects: [JSONObject] = []
            try reader.beginArray()
            while try reader.nextElement() { objects.append(try object(from: &reader)) }
            return objects
        }
    }

    private func object(from reader: inout JSONReader) throws(WireError) -> JSONObject {
        var object = JSONObject(in: message)
        try object.look(through: &reader)
        return object
    }

    @inline(never) package func entry(_ key: StaticString) -> JournalEntry? {
        value(key) { reader throws(WireError) in try JournalEntry(from: &reader) }
    }

    // MARK: Required members

    @inline(never) package func requiredString(_ key: StaticString) -> String {
        if let string = string(key) { return string }
        missing(key)
        return ""
    }

    @inline(never) package func requiredInteger(_ key: StaticString) -> Int64 {
        if let integer = integer(key) { return integer }
        missing(key)
        return 0
    }

    @inline(never) package func requiredTimestamp(_ key: StaticString) -> Timestamp {
        if let time = timestamp(key) { return time }
        missing(key)
        return Timestamp(milliseconds: 0)
    }

    @inline(never) package func requiredBits(_ key: StaticString) -> UUIDBits {
        if let bits = bits(key) { return bits }
        missing(key)
        return UUIDBits(high: 0, low: 0)
    }

    @inline(never) package func requiredObject(_ key: StaticString) -> JSONObject {
        if let object = object(key) { return object }
        missing(key)
        return JSONObject(in: message)
    }

    @inline(never) package func requiredEntry(_ key: StaticString) -> JournalEntry {
        if let entry = entry(key) { return entry }
        missing(key)
        return JournalEntry(id: EntryID(UUIDBits(high: 0, low: 0)), operation: .edit, deviceSequence: 0)
    }
}

extension String {
    /// Whether its UTF-8 bytes are these: `==` would bring Unicode's rules in.
    @inline(never) package func isText(_ text: StaticString) -> Bool {
        withBytes { $0.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)) }
    }
}
