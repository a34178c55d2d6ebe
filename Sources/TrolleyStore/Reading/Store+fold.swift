package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

extension Store {
    /// Folds a list from its live entries.
    /// - Throws: `.notOnList`, `.gone`, `.overloaded`; `.tooLong` when it takes more memory than one account may use.
    package func fold(_ list: ListID, for account: AccountID) async throws(StoreError) -> FoldedJournal {
        try await withReadTurn(for: account, on: list) { try await foldNow(list, for: account) }
    }

    private func foldNow(_ list: ListID, for account: AccountID) async throws(StoreError) -> FoldedJournal {
        try await read(list, for: account) { pool in
            try await pool.withTransaction(isolation: .readOnly) { connection in
                let found = try await connection.execute(ChangeSQL.head, [account, list, SequenceNumber.start, 1])
                guard let row = found.first else { throw try await connection.membershipError(of: account, from: list) }
                let position = try ChangeRange(list, row: row, from: 0).position
                return (try await connection.fold(list, at: position, memory.reservation(for: account)), position)
            }
        } position: {
            $0.1
        }.0
    }

    /// The folded list.
    /// - Throws: as ``fold(_:for:)``.
    package func state(of list: ListID, for account: AccountID) async throws(StoreError) -> StateResponse {
        try await fold(list, for: account).response
    }

    /// Folds a list for a check that can wait; nil when the account is no longer on the list, or when there is no
    /// memory just now. It waits for no other read, because others wait for it.
    package func foldIfIdle(_ list: ListID, for account: AccountID) async throws(StoreError) -> FoldedJournal? {
        do {
            return try await typed {
                try await gate.withoutWaiting(of: account) {
                    try await LeaseClass.$current.withValue(.longRead) { try await foldNow(list, for: account) }
                }
            }
        } catch {
            switch error {
            case .notOnList, .gone, .overloaded, .tooLong: return nil
            default: throw error
            }
        }
    }
}

extension Connection {
    /// Folds a list's live entries. Must run in a snapshot.
    func fold(
        _ list: ListID, at position: Position, _ reservation: ReadReservation
    ) async throws -> FoldedJournal {
        var fold = ListFold()
        var entries = 0
        try await forEachEntry(of: EntrySQL.entryRange, [list]) { entry, bytes throws(StoreError) in
            try fold.apply(entry, bytes, reservation)
            entries += 1
        }
        return FoldedJournal(
            list: list, sequence: position.head, epoch: position.epoch, fold: fold, entries: entries,
            reservation: reservation)
    }

    /// Passes entries on one by one, in order, with only a part of them in memory.
    /// - Parameters:
    ///   - statement: takes `binds`, then the sequence to continue after, then the number of entries to read.
    ///   - body: also receives the bytes of the entry's fields.
    func forEachEntry(
        of statement: Statement, _ binds: [any PostgresEncodable],
        _ body: (ConfirmedEntry, Int) throws(StoreError) -> Void
    ) async throws {
        var after = SequenceNumber.start
        while true {
            let rows = try await execute(statement, binds + [after, EntrySQL.atATime])
            try rows.eachEntry { entry, bytes throws(StoreError) in
                after = entry.sequence
                try body(entry, bytes)
            }
            if rows.count < EntrySQL.atATime { return }
            // Lets other tasks run on this thread.
            await Task.yield()
        }
    }
}

extension Rows {
    /// Reads rows with one entry each.
    func eachEntry(_ body: (ConfirmedEntry, Int) throws(StoreError) -> Void) throws {
        var failure: StoreError?
        try withValues(of: EntrySQL.types) { (values) throws(PostgresError) in
            for row in indices {
                let entry = try ConfirmedEntry(values, row: row)
                do throws(StoreError) {
                    try body(entry, values.bytes(row: row, column: 5)?.count ?? 0)
                } catch {
                    failure = error
                    return
                }
            }
        }
        if let failure { throw failure }
    }
}

extension ListFold {
    // The most memory that a fold takes: for an entry its id; for a field its decision; for an item all its decisions
    // and its place. Dictionaries and arrays may reserve twice as much.
    private static let bytesOfEntry = 48
    private static let bytesOfField = 96
    private static let bytesOfItem = 320

    /// Folds an entry.
    /// - Returns: the most memory that this takes, without the bytes of the entry's fields.
    package mutating func take(_ entry: ConfirmedEntry) -> Int {
        let before = itemCount
        apply(entry)
        let items = itemCount - before
        return Self.bytesOfEntry + Self.bytesOfField * entry.entry.fields.count + Self.bytesOfItem * items
    }

    /// Folds an entry and counts its memory.
    /// - Parameter bytes: the bytes of its fields' JSON.
    mutating func apply(_ entry: ConfirmedEntry, _ bytes: Int, _ reservation: ReadReservation) throws(StoreError) {
        try reservation.reserve(take(entry) + bytes)
    }
}
