package import TrolleyJournal

/// A value that writes itself as JSON.
package protocol JSONWritable {
    func write(to writer: inout JSONWriter)
}

// Writes members of the open object. For speed, frequent types call `key` and the value's method instead.
extension JSONWriter {
    package mutating func member(_ name: String, _ value: some JSONWritable) {
        key(name)
        value.write(to: &self)
    }

    /// Writes null for nil.
    package mutating func member<Value: JSONWritable>(_ name: String, _ value: Value?) {
        key(name)
        if let value { value.write(to: &self) } else { null() }
    }

    /// Writes nothing for nil.
    package mutating func member<Value: JSONWritable>(_ name: String, ifAny value: Value?) {
        if let value { member(name, value) }
    }

    package mutating func member<Element: JSONWritable>(_ name: String, _ elements: [Element]) {
        key(name)
        array { writer in
            for element in elements { element.write(to: &writer) }
        }
    }

    /// An array with an object for each element, whose members `body` writes.
    package mutating func member<Element>(
        _ name: String, _ elements: [Element], _ body: (Element, inout JSONWriter) -> Void
    ) {
        key(name)
        array { writer in
            for element in elements { writer.object { body(element, &$0) } }
        }
    }

    /// An object whose members `body` writes.
    package mutating func member(_ name: String, _ body: (inout JSONWriter) -> Void) {
        key(name)
        object(body)
    }
}

// The same in fewer bytes of code, for types that the WebAssembly module writes. They are not inlined, because the module calls
// them in very many places.
extension JSONWriter {
    @inline(never) package mutating func open() { begin(UInt8(ascii: "{")) }
    @inline(never) package mutating func close() { end(UInt8(ascii: "}")) }
    @inline(never) package mutating func openArray() { begin(UInt8(ascii: "[")) }
    @inline(never) package mutating func closeArray() { end(UInt8(ascii: "]")) }

    @inline(never) package mutating func name(_ key: StaticString) { self.key(key.description) }

    @inline(never) package mutating func member(_ key: StaticString, word: StaticString) {
        name(key)
        string(word.description)
    }

    @inline(never) package mutating func member(_ key: StaticString, number: Int64) {
        name(key)
        integer(number)
    }

    @inline(never) package mutating func member(_ key: StaticString, bits: UUIDBits?) {
        name(key)
        if let bits { identifier(EntryID(bits)) } else { null() }
    }

    @inline(never) package mutating func member(_ key: StaticString, ids: [UUIDBits]) {
        name(key)
        openArray()
        for bits in ids { identifier(EntryID(bits)) }
        closeArray()
    }
}

extension String: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Bool: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }
}

extension Int64: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension SequenceNumber: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.integer(rawValue) }
}

extension Timestamp: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.timestamp(self) }
}

extension StateDigest: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.string(description) }
}

extension EntryHash: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.string(description) }
}

extension Identifier where Self: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.identifier(self) }
}

extension ListID: JSONWritable {}
extension ItemID: JSONWritable {}
extension EntryID: JSONWritable {}
extension BatchID: JSONWritable {}
extension AccountID: JSONWritable {}
extension DeviceID: JSONWritable {}
extension WebhookID: JSONWritable {}
extension InvitationID: JSONWritable {}
extension RoomID: JSONWritable {}
extension HailID: JSONWritable {}
extension DeliveryID: JSONWritable {}

// A value of a closed vocabulary.
extension RawRepresentable where RawValue == String, Self: JSONWritable {
    package func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}

extension Operation: JSONWritable {}
extension Participant.Role: JSONWritable {}
extension Participant.Permission: JSONWritable {}
extension Participant.Status: JSONWritable {}
extension ParticipantChange.Kind: JSONWritable {}
extension Compression.Reason: JSONWritable {}
extension ProblemCode: JSONWritable {}
extension ListGoneReason: JSONWritable {}
extension RoomClosure: JSONWritable {}
extension DeadLetter.Kind: JSONWritable {}

extension JournalEntry: JSONWritable {}
extension ConfirmedEntry: JSONWritable {}
extension UploadEntry: JSONWritable {}
extension Fields: JSONWritable {}
extension Item: JSONWritable {}
