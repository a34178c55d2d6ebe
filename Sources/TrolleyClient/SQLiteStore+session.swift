import GRDB
import TrolleyJournal
import TrolleySync

extension SQLiteStore {
    func session() async throws(QueueStoreError) -> Session? {
        try await read { try $0.decoded("session", as: Session.self) }
    }

    /// Lists made before become the account's, and what was never sent is numbered anew, for the new device.
    func signIn(_ session: Session) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.encode(session, as: "session")
            try transaction.set("account", to: session.account.data)
            try transaction.set("device", to: session.device.data)
            try transaction.set("pace", to: nil)
            try transaction.db.execute(
                sql: "UPDATE list SET account = ? WHERE account = x''", arguments: [session.account.data])
            for list in try transaction.lists() { try transaction.renumber(list, for: session.device) }
        }
    }

    /// Hosted lists leave the device; what they hold back unsent stays, hidden, until the account signs in again.
    func signOut() async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.db.execute(
                sql: "UPDATE list SET account = x'' WHERE account = ? AND local = 1",
                arguments: [try transaction.account()])
            for list in try transaction.lists() { try transaction.empty(list) }
            try transaction.db.execute(
                sql: "DELETE FROM list WHERE account = ? AND key NOT IN (SELECT list FROM pending)",
                arguments: [try transaction.account()])
            for name in ["session", "account", "device", "pace", "current"] { try transaction.set(name, to: nil) }
        }
    }
}

extension StoreTransaction {
    /// Forgets what the service can give again: what is left is the upload queue.
    func empty(_ list: ListRow) throws {
        for table in ["entry", "staged", "confirmed", "undo"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE list = ?", arguments: [list.key])
        }
        try db.execute(
            sql: "DELETE FROM pending WHERE list = ? AND sequence IS NOT NULL", arguments: [list.key])
        try db.execute(
            sql: "UPDATE list SET token = NULL, staging = 0, through = 0, share = NULL WHERE key = ?",
            arguments: [list.key])
    }

    /// Entries that were sent before keep their number: the service may have them, and then their content is fixed.
    fileprivate func renumber(_ list: ListRow, for device: DeviceID) throws {
        var number: Int64 = 0
        var position: Int64 = 0
        // Piece by piece: a queue may be long.
        while true {
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT position, id, content, sent FROM pending
                    WHERE list = ? AND position > ? ORDER BY position LIMIT 500
                    """,
                arguments: [list.key, position])
            guard let last = rows.last else { break }
            position = last[0]
            for row in rows { try renumber(row, in: list, after: &number) }
        }
        if number > 0 { try setCounter(number, of: list.id, device: device.data) }
    }

    private func renumber(_ row: Row, in list: ListRow, after number: inout Int64) throws {
        let id = try EntryID(data: row[1])
        var entry = try openEntry(row[2], id: id, in: list.id)
        if row[3] {
            number = max(number, entry.deviceSequence)
            return
        }
        number += 1
        entry.deviceSequence = number
        try db.cachedStatement(sql: "UPDATE pending SET content = ? WHERE list = ? AND id = ?")
            .execute(arguments: [try seal(entry, in: list.id), list.key, id.data])
    }
}
