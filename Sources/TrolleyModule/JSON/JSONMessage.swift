import TrolleyJournal
import TrolleyWire

/// The input of a call. It remembers its first error, and reading continues: a check after each member would be most of
/// the module's code.
final class JSONMessage {
    /// A long member of the message, read while the message is scanned.
    enum Streamed {
        case nothing, entries, changes
    }

    private let bytes: UnsafeBufferPointer<UInt8>
    private(set) var entries: [ConfirmedEntry] = []
    private(set) var changes: [AppliedChange] = []
    private(set) var error: WireError?

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// The whole message: one object.
    func object(streaming streamed: Streamed = .nothing) -> JSONObject {
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

    func note(_ error: WireError) { if self.error == nil { self.error = error } }

    /// Throws the first error, if there was one.
    func check() throws(WireError) { if let error { throw error } }
}
