import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One transaction on a device's file: the parts that all queries share, and the encryption of content.
struct StoreTransaction: ~Copyable {
    let db: Database
    let key: ContentKey
    let folds: TransactionFolds

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
        // SQLite doesn't report changes of a table without row ids, and these change what people see.
        if ["account", "current", "session"].contains(name) { try db.notifyChanges(in: Table("meta")) }
    }

    func decoded<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value? {
        guard let sealed = try value(name) else { return nil }
        return try JSONDecoder().decode(type, from: key.open(sealed, at: Array(name.utf8)))
    }

    func encode(_ value: some Encodable, as name: String) throws {
        try set(name, to: key.seal(JSONEncoder().encode(value), at: Array(name.utf8)))
    }

    func retryState() throws -> RetryState {
        guard let sealed = try value("pace") else { return RetryState() }
        let json = try key.open(sealed, at: Array("pace".utf8))
        return try JSONObject.read(json) { RetryState($0) }
    }

    func set(_ retryState: RetryState) throws {
        var writer = JSONWriter()
        retryState.write(to: &writer)
        try set("pace", to: key.seal(writer.bytes, at: Array("pace".utf8)))
    }

    /// The account whose lists are shown; empty while nobody is signed in.
    func account() throws -> Data { try value("account") ?? Data() }

    func device() throws -> Data { try value("device") ?? Data() }

    /// The signed-in account and its token; nil while nobody is signed in.
    func session() throws -> AccountSession? { try decoded("session", as: AccountSession.self) }

    func signedIn() throws -> AccountID? { try session()?.account }

    /// Whether a session is the device's. Each session is a device of its own to the service.
    func isPresent(_ session: AccountSession) throws -> Bool {
        try account() == session.account.data && device() == session.device.data
    }

    // MARK: Lists

    func find(_ id: ListID) throws -> ListRow? {
        try ListRow.fetchOne(
            db, sql: "SELECT * FROM list WHERE account = ? AND id = ?", arguments: [try account(), id.data])
    }

    func list(_ id: ListID) throws -> ListRow {
        guard let row = try find(id) else { throw QueueStoreError.noSuchList(id) }
        return row
    }

    func lists() throws -> [ListRow] { try lists(ofAccount: account()) }

    func lists(of account: AccountID) throws -> [ListRow] { try lists(ofAccount: account.data) }

    private func lists(ofAccount account: Data) throws -> [ListRow] {
        try ListRow.fetchAll(db, sql: "SELECT * FROM list WHERE account = ? ORDER BY key", arguments: [account])
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
        try openWithOrigin(content, id: id, in: list).entry
    }

    /// An unconfirmed entry as it is shown: somebody else's message, which is offered again, names its writer.
    func openPending(_ content: Data, id: EntryID, in list: ListID) throws -> JournalEntry {
        let (entry, origin) = try openWithOrigin(content, id: id, in: list)
        guard entry.operation == .message, let origin, let name = origin.authorName else { return entry }
        return entry.quoting(name, at: origin.madeAt)
    }

    /// - Returns: the entry, and its origin if the service has confirmed it and given a receipt.
    func openWithOrigin(
        _ content: Data, id: EntryID, in list: ListID
    ) throws -> (entry: JournalEntry, origin: EntryOrigin?) {
        let json = try key.open(content, at: list.bits.bytes + id.bits.bytes)
        return try JSONReader.read(json) { reader throws(WireError) in try JournalEntry.withOrigin(from: &reader) }
    }

    /// - Parameter authorName: see `EntryOrigin.authorName`.
    func seal(_ entry: ConfirmedEntry, authorName: String? = nil, in list: ListID) throws -> Data {
        var writer = JSONWriter(capacity: 512)
        entry.write(to: &writer, authorName: authorName)
        return try key.seal(writer.bytes, at: list.bits.bytes + entry.entry.id.bits.bytes)
    }

    func openConfirmed(_ content: Data, id: EntryID, in list: ListID) throws -> ConfirmedEntry {
        let json = try key.open(content, at: list.bits.bytes + id.bits.bytes)
        return try JSONReader.read(json) { reader throws(WireError) in try ConfirmedEntry(from: &reader) }
    }

    /// Calls `body` with a list's confirmed entries, in order, without loading all of them into memory.
    /// - Parameter applied: true: only shown entries; false: only entries that wait to be applied; nil: all.
    func forEachConfirmed(
        of list: ListRow, applied: Bool? = nil, _ body: (ConfirmedEntry) throws -> Void
    ) throws {
        // SQLite must be told to use the partial index: by itself it would scan the whole list.
        guard applied != false else {
            let rows = try Row.fetchCursor(
                db,
                sql: """
                    SELECT id, content FROM entry INDEXED BY to_apply WHERE list = ? AND applied = 0 ORDER BY sequence
                    """, arguments: [list.key])
            while let row = try rows.next() { try body(openConfirmed(row[1], id: EntryID(data: row[0]), in: list.id)) }
            return
        }
        let rows = try db.makeStatement(
            sql: """
                SELECT sequence, id, content FROM entry
                WHERE list = ? AND sequence > ? AND sequence < ? \(applied == true ? "AND applied = 1" : "") ORDER BY sequence
                """)
        // A bundle has all entries from one to another, so none that waits to be applied is among them.
        let waiting = try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT MIN(sequence) FROM entry INDEXED BY to_apply WHERE list = ? AND applied = 0"),
            arguments: [list.key])
        try forEachBundled(
            of: list, rows: rows, before: waiting ?? .max,
            open: { try openConfirmed($0[2], id: EntryID(data: $0[1]), in: list.id) }, body)
    }

    func confirmedEntries(of list: ListRow, applied: Bool) throws -> [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        try forEachConfirmed(of: list, applied: applied) { entries.append($0) }
        return entries
    }

    /// Calls `body` with the device's own unconfirmed entries, in the order in which they were made.
    private func forEachPending(of list: ListRow, _ body: (PendingEntry) throws -> Void) throws {
        // An entry that has come back is no longer pending. Mostly none has: then bundles can be used.
        let hasConfirmed = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM entry WHERE list = ?)"), arguments: [list.key])
        let condition =
            hasConfirmed == true
            ? "AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.list = pending.list AND entry.id = pending.id)" : ""
        let rows = try db.makeStatement(
            sql: """
                SELECT position, id, content, estimate FROM pending
                WHERE list = ? AND position > ? AND position < ? \(condition) ORDER BY position
                """)
        try forEachBundled(
            of: list, rows: rows, before: hasConfirmed == true ? nil : .max,
            open: { row in
                let entry = try openPending(row[2], id: try EntryID(data: row[1]), in: list.id)
                return PendingEntry(entry: entry, madeAt: Timestamp(milliseconds: row[3]))
            }, body)
    }

    func pendingEntries(of list: ListRow) throws -> [PendingEntry] {
        var entries: [PendingEntry] = []
        try forEachPending(of: list) { entries.append($0) }
        return entries
    }

    func journal(of list: ListRow) throws -> ListJournal {
        ListJournal(
            confirmed: try confirmedEntries(of: list, applied: true), pending: try pendingEntries(of: list))
    }

    // MARK: The folded list

    /// - Parameter removing: whether the caller will change the fold and then ``keep(_:of:)`` it.
    func folded(_ list: ListRow, removing: Bool = false) throws -> CachedFold {
        if let kept = folds.folded(list, removing: removing) { return kept }
        var folded = CachedFold(version: list.version)
        try forEachConfirmed(of: list, applied: true) { folded.apply($0) }
        let pending = try pendingEntries(of: list)
        for entry in pending { folded.note(entry.madeAt) }
        folded.fold.setPending(pending)
        if !removing { folds.make(folded, of: list) }
        return folded
    }

    /// Keeps a fold that includes this transaction's changes to the list.
    func keep(_ folded: CachedFold, of list: ListRow) throws {
        var folded = folded
        guard let version = try version(of: list) else { return }
        folded.version = version
        folds.make(folded, of: list)
    }

    /// Keeps the name of a list that this transaction has changed without renaming it.
    func keep(name: String?, of list: ListRow) throws {
        guard let version = try version(of: list) else { return }
        folds.make(NamedVersion(version: version, name: name), of: list)
    }

    /// The list's version at this point of the transaction.
    private func version(of list: ListRow) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT version FROM list WHERE key = ?", arguments: [list.key])
    }

    func state(of list: ListRow) throws -> ListState {
        try folded(list).fold.state(without: unseen(in: list))
    }

    /// The digest that the service should have at the device's sequence: without the device's own unconfirmed entries,
    /// but with entries that wait to be applied.
    func confirmed(of list: ListRow) throws -> (count: Int, digest: StateDigest) {
        var folded = CachedFold(version: list.version)
        try forEachConfirmed(of: list) { folded.apply($0) }
        return (folded.count, folded.fold.confirmedState.digest)
    }

    /// Items that were marked off before the person ever saw them, with the entry that did it.
    func unseen(in list: ListRow) throws -> [ItemID: EntryID] {
        let rows = try Row.fetchAll(db, sql: "SELECT item, entry FROM unseen WHERE list = ?", arguments: [list.key])
        var unseen: [ItemID: EntryID] = [:]
        for row in rows { unseen[try ItemID(data: row[0])] = try EntryID(data: row[1]) }
        return unseen
    }

    /// The list's name, for notices and rejected entries. Without a stored overview, folds only the entries that name the list:
    /// sending a long queue must not need the whole list in memory.
    func name(of list: ListRow) throws -> String? {
        if let kept = folds.folded(list, removing: false) { return kept.fold.name }
        if let kept = folds.name(of: list) { return kept.name }
        if let kept = try keptOverview(of: list) { return kept.name }
        var fold = ListFold()
        try forEachConfirmed(of: list, applied: true) { if $0.entry.operation == .renameList { fold.apply($0) } }
        var pending: [PendingEntry] = []
        try forEachPending(of: list) { if $0.entry.operation == .renameList { pending.append($0) } }
        fold.setPending(pending)
        folds.make(NamedVersion(version: list.version, name: fold.name), of: list)
        return fold.name
    }
}

/// A list's row in the file.
struct ListRow: FetchableRecord {
    var key: Int64
    /// The account that has the list; empty while nobody is signed in.
    var account: Data
    var id: ListID
    var published: Bool
    var shopping: Bool
    /// The encrypted name of the shop where the person is, or was last; see `StoreTransaction.shop(of:)`.
    var shop: Data?
    var local: Bool
    var token: String?
    var staging: Bool
    var through: SequenceNumber
    var share: Data?
    /// The account that had the list, while it is kept here because the service no longer knew the account's session.
    var former: Data?
    /// The encrypted proof of ownership; empty: there is none; nil: the service hasn't answered yet.
    var ownership: Data?
    /// Rises whenever the list's fold changes.
    var version: Int64
    /// When the last fetch arrived, by the wall clock.
    var received: Timestamp
    /// How often the service's digest differed, and when last.
    var differed: Int
    var differedAt: Timestamp?
    /// The account's read mark of the list, and the mark that the service knows.
    var read: SequenceNumber
    var readTold: SequenceNumber
    /// Where the account keeps the list among its own, and what of it the service has not been told.
    var place: ListPlace
    var placeUntold: PlaceParts

    init(row: Row) throws {
        key = row["key"]
        account = row["account"]
        id = try ListID(data: row["id"])
        published = row["published"]
        shopping = row["shopping"]
        shop = row["shop"]
        local = row["local"]
        token = row["token"]
        staging = row["staging"]
        through = SequenceNumber(rawValue: row["through"])
        share = row["share"]
        former = row["former"]
        ownership = row["ownership"]
        version = row["version"]
        received = Timestamp(milliseconds: row["received"])
        differed = row["differed"]
        differedAt = (row["differed_at"] as Int64?).map { Timestamp(milliseconds: $0) }
        read = SequenceNumber(rawValue: row["read"])
        readTold = SequenceNumber(rawValue: row["read_told"])
        place = ListPlace(pinned: row["pinned"], archived: row["archived"], rank: row["rank"])
        placeUntold = PlaceParts(rawValue: row["place_untold"])
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
