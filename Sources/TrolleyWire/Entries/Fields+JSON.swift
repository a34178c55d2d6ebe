public import TrolleyJournal

extension Fields {
    /// Reads an object of fields: known fields are strings or null, other fields any JSON value.
    public init(from reader: inout JSONReader) throws(WireError) {
        self.init()
        try reader.beginObject()
        while let key = try reader.nextKey()?.string {
            self[key] = try FieldValue(from: &reader, key: key)
        }
    }

    /// Reads a text that is only such an object. It takes a buffer, because any other collection of bytes costs twice
    /// as much and compression reads the fields of all entries.
    public init(utf8 json: UnsafeRawBufferPointer) throws(WireError) {
        self = try JSONReader.read(all: json.assumingMemoryBound(to: UInt8.self)) { (reader) throws(WireError) in
            try Fields(from: &reader)
        }
    }

    fileprivate static let known = [text, quantity, note, aisle]

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            for (key, value) in self {
                writer.key(key)
                switch value {
                case .string(let string): writer.string(string)
                case .null: writer.null()
                case .json(let json): writer.raw(json)
                }
            }
        }
    }
}

extension FieldValue {
    fileprivate init(from reader: inout JSONReader, key: String) throws(WireError) {
        if try reader.null() {
            self = .null
        } else if try reader.peek() == UInt8(ascii: "\"") {
            self = .string(try reader.string())
        } else if Fields.known.contains(where: { $0.hasSameBytes(as: key) }) {
            try reader.skip()
            throw .invalid(String(joining: "fields.", key, " must be a string or null"))
        } else {
            var writer = JSONWriter(capacity: 32)
            try reader.copyCanonically(to: &writer)
            self = .json(String(decoding: writer.bytes, as: UTF8.self))
        }
    }
}

extension JSONReader {
    /// Copies a value without white space, with the keys of objects in the order of their UTF-8 bytes (of equal keys,
    /// the last one stays) and numbers as they were written, so that equal values have equal texts.
    mutating func copyCanonically(to writer: inout JSONWriter) throws(WireError) {
        switch try peek() {
        case UInt8(ascii: "{"):
            var members: [(key: String, value: String)] = []
            try beginObject()
            while let key = try nextKey()?.string {
                var value = JSONWriter(capacity: 32)
                try copyCanonically(to: &value)
                members.append((key, String(decoding: value.bytes, as: UTF8.self)))
            }
            // Sorted with the last of equal keys first, so that the others can be skipped.
            let order = Array(members.indices).inOrder { left, right in
                let keys = (members[left].key, members[right].key)
                return keys.0.bytesPrecede(keys.1) || (left > right && keys.0.hasSameBytes(as: keys.1))
            }
            members = order.enumerated().compactMap { place, index in
                let isRepeated = place > 0 && members[order[place - 1]].key.hasSameBytes(as: members[index].key)
                return isRepeated ? nil : members[index]
            }
            writer.object { writer in
                for (key, value) in members {
                    writer.key(key)
                    writer.raw(value)
                }
            }
        case UInt8(ascii: "["):
            try beginArray()
            try writer.array { (writer) throws(WireError) in
                while try nextElement() { try copyCanonically(to: &writer) }
            }
        case UInt8(ascii: "\""): writer.string(try string())
        default: writer.raw(String(decoding: bytes[try skip()], as: UTF8.self))
        }
    }
}
