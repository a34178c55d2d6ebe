import TrolleyJournal
import TrolleyWire

// Members of an object that is open. None is inlined: the module has very many.

extension JSONWriter {
    @inline(never) mutating func open() { begin(UInt8(ascii: "{")) }
    @inline(never) mutating func close() { end(UInt8(ascii: "}")) }
    @inline(never) mutating func openArray() { begin(UInt8(ascii: "[")) }
    @inline(never) mutating func closeArray() { end(UInt8(ascii: "]")) }

    @inline(never) mutating func name(_ key: StaticString) { self.key(key.description) }

    @inline(never) mutating func member(_ key: StaticString, _ value: String?) {
        name(key)
        if let value { string(value) } else { null() }
    }

    @inline(never) mutating func member(_ key: StaticString, word: StaticString) {
        name(key)
        string(word.description)
    }

    @inline(never) mutating func member(_ key: StaticString, number: Int64) {
        name(key)
        integer(number)
    }

    @inline(never) mutating func member(_ key: StaticString, _ value: Int) { member(key, number: Int64(value)) }

    @inline(never) mutating func member(_ key: StaticString, _ value: Bool) {
        name(key)
        bool(value)
    }

    @inline(never) mutating func member(_ key: StaticString, _ value: Timestamp?) {
        name(key)
        if let value { timestamp(value) } else { null() }
    }

    @inline(never) mutating func member(_ key: StaticString, bits: UUIDBits?) {
        name(key)
        if let bits { identifier(EntryID(bits)) } else { null() }
    }

    @inline(never) mutating func member(_ key: StaticString, ids: [UUIDBits]) {
        name(key)
        openArray()
        for bits in ids { identifier(EntryID(bits)) }
        closeArray()
    }
}

extension Sequence where Element: Identifier {
    /// The ids in order. All kinds of ids are sorted by the same code.
    func bitsInOrder() -> [UUIDBits] {
        var bits: [UUIDBits] = []
        for id in self { bits.append(id.bits) }
        return bits.inOrder(by: <)
    }
}
