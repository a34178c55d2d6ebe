import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyWire

// The columns of a hosted device's tables.

extension PendingEntry {
    init(row: Row) throws {
        let (content, estimate) = try row.decode((String, Timestamp).self)
        self.init(entry: try JournalEntry(content: content), madeAt: estimate)
    }
}

extension QueuedEntry {
    /// - Parameter row: of `HostedQueueSQL.waiting`.
    init(row: Row) throws {
        let (content, boot, uptime, wall) = try row.decode((String, String, Int64, Timestamp).self)
        self.init(
            entry: try JournalEntry(content: content), made: DeviceTime(boot: boot, uptime: uptime, wall: wall))
    }
}

extension RejectedEntry {
    /// - Parameter row: of `HostedQueueSQL.rejected`.
    init(row: Row) throws {
        let (list, name, content, code, detail, at) = try row.decode(
            (ListID, String?, String, String, String?, Timestamp).self)
        self.init(
            list: list, listName: name, entry: try JournalEntry(content: content),
            code: ProblemCode(word: code), detail: detail, rejectedAt: at)
    }
}

extension JournalEntry {
    init(content: String) throws(WireError) {
        self = try JSONReader.read(content.utf8) { reader throws(WireError) in try JournalEntry(from: &reader) }
    }

    var content: PostgresJSON { PostgresJSON(writing: write(to:)) }
}

extension ConfirmedEntry {
    init(content: String) throws(WireError) {
        self = try JSONReader.read(content.utf8) { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
    }
}

extension PostgresJSON {
    init(writing write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter(capacity: 512)
        write(&writer)
        self.init(String(decoding: writer.bytes, as: UTF8.self))
    }
}

extension RetryState {
    init(column: String?) throws(WireError) {
        self.init()
        if let column { self = try JSONObject.read(column.utf8) { RetryState($0) } }
    }

    var column: PostgresJSON { PostgresJSON(writing: write(to:)) }
}
