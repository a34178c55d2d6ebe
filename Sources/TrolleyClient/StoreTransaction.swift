import FoundationEssentials
import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// One transaction on a device's file: what every query needs, and the content of rows, in and out.
struct StoreTransaction: ~Copyable {
    let db: Database
    let key: ContentKey

    // MARK: Named values

    func value(_ name: String) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT value FROM meta WHERE key = ?", arguments: [name])
    }

    func set(_ name: String, to value: Data?) throws {
        if let value {
            try db.execute(sql: "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", arguments: [name, value])
        } else {
            try db.execute(sql: "DELETE FROM meta WHERE key = ?", arguments: [name])
        }
    }

    func decoded<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value? {
        guard let sealed = try value(name) else { return nil }
        return try JSONDecoder().decode(type, from: key.open(sealed, at: Array(name.utf8)))
    }

    func encode(_ value: some Encodable, as name: String) throws {
        try set(name, to: key.seal(JSONEncoder().encode(value), at: Array(name.utf8)))
    }

    /// Whose lists are shown; empty while nobody is signed in.
    func account() throws -> Data { try value("account") ?? Data() }

    func device() throws -> Data { try value("device") ?? Data() }

    // MARK: Lists

    func find(_ id: ListID) throws -> ListRow? {
        try ListRow.fetchOne(
            db, sql: "SELECT * FROM list WHERE account = ? AND id = ?", arguments: [try account(), id.data])
    }

    func list(_ id: ListID) throws -> ListRow {
        guard let row = try find(id) else { throw QueueStoreError.noSuchList(id) }
        return row
    }

    func lists() throws -> [ListRow] {
        try ListRow.fetchAll(db, sql: "SELECT * FROM list WHERE account = ? ORDER BY key", arguments: [try account()])
    }

    func insertList(_ id: ListID, published: Bool) throws -> ListRow {
        try db.execute(
            sql: "INSERT INTO list (account, id, published) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [try account(), id.data, published])
        return try list(id)
    }

    // MARK: Content

    func seal(_ entry: JournalEntry, in list: ListID) throws -> Data {
        var writer = JSONWriter(capacity: 384)
        entry.write(to: &writer)
        return try key.seal(writer.bytes, at: list.bits.bytes + entry.id.bits.bytes)
    }

    func openEntry(_ content: Data, id: EntryID, in list: ListID) throws -> JournalEntry {
        let json = try key.open(content, at: list.bits.bytes + id.bits.bytes)
        return try JSONReader.read(json) { reader throws(WireError) in try JournalEntry(from: &reader) }
    }

    func seal(_ entry: ConfirmedEntry, in list: ListID) throws -> Data {
        var writer = JSONWriter(capacity: 512)
        entry.write(to: &writer)
        return try key.seal(writer.bytes, at: list.bits.bytes + entry.entry.id.bits.bytes)
    }

    func openConfirmed(_ content: Data, id: EntryID, in list: ListID) throws -> ConfirmedEntry {
        let json = try key.open(content, at: list.bits.bytes + id.bits.bytes)
        return try JSONReader.read(json) { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
    }

    func confirmedEntries(of list: ListRow, applied: Bool) throws -> [ConfirmedEntry] {
        // With the value in the text, so that SQLite sees that the partial index serves.
        let rows = try Row.fetchCursor(
            db,
            sql: "SELECT id, content FROM entry WHERE list = ? AND applied = \(applied ? 1 : 0) ORDER BY sequence",
            arguments: [list.key])
        var entries: [ConfirmedEntry] = []
        while let row = try rows.next() {
            entries.append(try openConfirmed(row[1], id: try EntryID(data: row[0]), in: list.id))
        }
        return entries
    }

    /// What the list is called, for telling of it when it goes.
    func name(of list: ListRow) throws -> String? { ListState(try journal(of: list)).name }

    func journal(of list: ListRow) throws -> ListJournal {
        var journal = ListJournal(confirmed: try confirmedEntries(of: list, applied: true))
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT id, content, estimate FROM pending WHERE list = ?
                AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.list = pending.list AND entry.id = pending.id)
                ORDER BY position
                """,
            arguments: [list.key])
        while let row = try rows.next() {
            let entry = try openEntry(row[1], id: try EntryID(data: row[0]), in: list.id)
            journal.pending.append(PendingEntry(entry: entry, madeAt: Timestamp(milliseconds: row[2])))
        }
        return journal
    }
}

/// A list as the file has it.
struct ListRow: FetchableRecord {
    var key: Int64
    var id: ListID
    var published: Bool
    var shopping: Bool
    var local: Bool
    var token: String?
    var staging: Bool
    var through: SequenceNumber
    var share: Data?

    init(row: Row) throws {
        key = row["key"]
        id = try ListID(data: row["id"])
        published = row["published"]
        shopping = row["shopping"]
        local = row["local"]
        token = row["token"]
        staging = row["staging"]
        through = SequenceNumber(rawValue: row["through"])
        share = row["share"]
    }
}

extension Identifier {
    /// The sixteen bytes, as a blob.
    var data: Data { Data(bits.bytes) }

    init(data: Data) throws(QueueStoreError) {
        guard let bits = UUIDBits(bytes: data) else { throw .unreadable("an id in the database is damaged") }
        self.init(bits)
    }
}
