package import TrolleyJournal

/// A JSON message that is one object, read member by member. It remembers its first error, and reading continues: a check
/// after each member would be most of the code of the WebAssembly module.
package final class JSONMessage {
    /// A long member of the message, read while the message is scanned.
    package enum Streamed {
        case nothing, entries, changes
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    package private(set) var entries: [ConfirmedEntry] = []
    package private(set) var changes: [AppliedChange] = []
    package private(set) var error: WireError?

    /// Creates a message of these bytes, which must outlive it and its objects.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The whole message: one object.
    package func object(streaming streamed: Streamed = .nothing) -> JSONObject {
        var reader = JSONReader(bytes)
        var object = JSONObject(in: self)
        do throws(WireError) {
            try object.look(through: &reader, streaming: streamed)
            try reader.finish()
        } catch {
            note(error)
        }
        return object
    }

    /// Reads the value of a streamed member: `entries` or `changes` as the service sends them.
    /// - Returns: false for another member.
    func stream(_ key: JSONText, _ streamed: Streamed, _ reader: inout JSONReader) throws(WireError) -> Bool {
        switch streamed {
        case .entries where key == "entries":
            try reader.beginArray()
            while try reader.nextElement() { entries.append(try ConfirmedEntry(from: &reader)) }
        case .changes where key == "changes":
            try reader.beginArray()
            while try reader.nextElement() { changes.append(try AppliedChange(from: &reader)) }
        default: return false
        }
        return true
    }

    package func note(_ error: WireError) { if self.error == nil { self.error = error } }

    /// Throws the first error, if there was one.
    package func check() throws(WireError) { if let error { throw error } }
}

#if !hasFeature(Embedded)
    extension JSONObject {
        /// Reads a whole message: `body` reads the members of its only value, an object.
        /// - Throws: the first error.
        package static func read<Value>(
            _ bytes: some Collection<UInt8>, _ body: (JSONObject) -> Value
        ) throws(WireError) -> Value {
            func whole(_ buffer: UnsafeBufferPointer<UInt8>) -> Result<Value, WireError> {
                let message = JSONMessage(buffer)
                let value = body(message.object())
                if let error = message.error { return .failure(error) }
                return .success(value)
            }
            let result = bytes.withContiguousStorageIfAvailable(whole) ?? Array(bytes).withUnsafeBufferPointer(whole)
            return try result.get()
        }
    }
#endif
