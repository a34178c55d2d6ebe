import GRDB
import TrolleyJournal
import TrolleySync

/// An account's read mark of a list.
struct ListReadMark: Hashable, Sendable {
    var list: ListID
    var read: SequenceNumber
    /// Whether the service doesn't know the mark yet.
    var isUntold: Bool
    /// Whether entries of other people follow the mark.
    var hasUnread: Bool
}

extension SQLiteStore {
    /// The last sequence that the person sees: the last received entry before the first that waits to be applied.
    /// Changes of the share have sequences too, but are nothing to read.
    func shown(of list: ListID) async throws(QueueStoreError) -> SequenceNumber {
        try await read { try $0.shown(of: try $0.list(list)) }
    }

    /// Moves the read mark to what the list shows.
    /// - Parameter last: the last sequence to mark; nil: everything that the list shows.
    func markRead(
        _ list: ListID, through last: SequenceNumber? = nil
    ) async throws(QueueStoreError) -> ListReadMark {
        let (mark, all) = try await read { transaction in
            let row = try transaction.list(list)
            return (try transaction.readMark(of: row), try transaction.shown(of: row))
        }
        let shown = last ?? all
        // Most calls write nothing.
        guard shown > mark.read else { return mark }
        return try await write { transaction in
            try transaction.db.execute(
                sql: "UPDATE list SET read = max(read, ?) WHERE key = ?",
                arguments: [shown.rawValue, try transaction.list(list).key])
            return try transaction.readMark(of: try transaction.list(list))
        }
    }

    /// The read marks of all lists that are on the service.
    func readMarks() async throws(QueueStoreError) -> [ListReadMark] {
        try await read { transaction in
            try transaction.lists().filter { $0.published && !$0.local }.map { try transaction.readMark(of: $0) }
        }
    }

    /// Stores the account's read mark that the service has returned.
    func noteRead(_ list: ListID, through: SequenceNumber) async throws(QueueStoreError) {
        try await write { transaction in
            guard let row = try transaction.find(list), through > row.readTold else { return }
            try transaction.db.execute(
                sql: "UPDATE list SET read = max(read, ?1), read_told = ?1 WHERE key = ?2",
                arguments: [through.rawValue, row.key])
        }
    }
}

extension StoreTransaction {
    func shown(of list: ListRow) throws -> SequenceNumber {
        let last = try Int64.fetchOne(
            db,
            sql: """
                SELECT MAX(sequence) FROM entry WHERE list = ?1 AND sequence < coalesce(
                  (SELECT MIN(sequence) FROM entry INDEXED BY to_apply WHERE list = ?1 AND applied = 0), ?2)
                """,
            arguments: [list.key, Int64.max])
        return SequenceNumber(rawValue: last ?? 0)
    }

    /// The number of other people's entries after the read mark.
    /// - Parameter most: the number at which counting stops.
    func countUnread(in list: ListRow, most: Int = .max) throws -> Int {
        // An entry's author is encrypted, so SQL can't count.
        let rows = try Row.fetchCursor(
            db, sql: "SELECT id, content FROM entry WHERE list = ? AND sequence > ?",
            arguments: [list.key, list.read.rawValue])
        var count = 0
        while count < most, let row = try rows.next() {
            let author = try openConfirmed(row[1], id: EntryID(data: row[0]), in: list.id).author.data
            if author != list.account, author != list.former { count += 1 }
        }
        return count
    }

    /// Whether the list shows something after the read mark, and another person's entries follow the mark.
    func showsUnread(of list: ListRow) throws -> Bool {
        guard try shown(of: list) > list.read else { return false }
        return try countUnread(in: list, most: 1) > 0
    }

    fileprivate func readMark(of list: ListRow) throws -> ListReadMark {
        ListReadMark(
            list: list.id, read: list.read, isUntold: list.published && !list.local && list.read > list.readTold,
            hasUnread: try countUnread(in: list, most: 1) > 0)
    }
}
