import TrolleyJournal
import TrolleyPostgres

// Reads changes from a database: the primary or a replica.

extension Pool {
    /// - Returns: nil when the account isn't on the list, or there is no such list.
    func changeRange(
        of list: ListID, for account: AccountID, after: SequenceNumber, limit: Int
    ) async throws -> ChangeRange? {
        // One snapshot and one round trip.
        try await withConnection { connection in
            let answers = try await connection.pipeline([
                .beginSnapshot, .execute(ChangeSQL.head, [account, list, after, limit]),
                .execute(ChangeSQL.page, [list, after, limit]), .commit,
            ])
            guard let row = answers[1].first else { return nil }
            let changes = answers[2]
            var changeRange = try ChangeRange(list, row: row, from: 0)
            changeRange.stored = StoredChanges(
                changes, at: changes.startIndex..<changes.endIndex, column: 0, reader: changeRange.reader)
            try changeRange.stored.cut()
            let most = try row.decode(Int64.self, at: 5)
            changeRange.isComplete = !changeRange.stored.isCut && changes.count < most
            // A recorded state never changes, so it need not be read in the same snapshot.
            if let sequence = try changeRange.stored.firstDifference() {
                guard let first = try await connection.recordedShare(of: list, at: sequence) else { return nil }
                try changeRange.stored.assemble(from: first.state)
            }
            return changeRange
        }
    }

    /// All lists of an account.
    func changeRanges(
        for account: AccountID, after: [ListID: SequenceNumber], limit: Int
    ) async throws -> [ChangeRange] {
        let rows = try await withConnection { connection in
            try await connection.execute(
                ChangeSQL.ofAccount, [account, Array(after.keys), limit, Array(after.values)])
        }
        return try rows.runs(by: { row throws(PostgresError) in try row.decode(ListID.self, at: 0) }).map {
            list, places in
            var changeRange = try ChangeRange(list, row: rows[places.lowerBound], from: 1)
            changeRange.isReached = try rows[places.lowerBound].decode(at: 6)
            changeRange.stored = try rows.changes(at: places, column: 8, reader: changeRange.reader)
            let most = try rows[places.lowerBound].decode(Int64.self, at: 7)
            changeRange.isComplete =
                changeRange.isReached && changeRange.stored.count < most && !changeRange.stored.isCut
            return changeRange
        }
    }

    func membershipError(of account: AccountID, from list: ListID) async throws -> StoreError {
        try await withConnection { try await $0.membershipError(of: account, from: list) }
    }
}

extension ChangeRange {
    /// Reads the columns `head`, `epoch`, `trail_from`, a mark and `is_owned`, which start at `column`.
    init(_ list: ListID, row: Row, from column: Int) throws(PostgresError) {
        let epoch = try row.decode(PostgresUUID.self, at: column + 1)
        self.init(
            list: list, head: try row.decode(at: column), epoch: UUIDBits(high: epoch.high, low: epoch.low),
            trailFrom: try row.decode(at: column + 2), mark: try row.decode(at: column + 3),
            reader: try row.decode(Bool.self, at: column + 4) ? .owner : .participant)
    }

    var position: Position { Position(head: head, epoch: epoch) }
}

extension Rows {
    /// Ranges of consecutive rows with the same key.
    func runs<Key: Equatable>(
        by key: (Row) throws(PostgresError) -> Key
    ) throws(PostgresError) -> [(key: Key, places: Range<Int>)] {
        var runs: [(key: Key, places: Range<Int>)] = []
        for place in indices {
            let key = try key(self[place])
            if let last = runs.last, last.key == key {
                runs[runs.count - 1].places = last.places.lowerBound..<place + 1
            } else {
                runs.append((key, place..<place + 1))
            }
        }
        return runs
    }

    /// The changes in rows that all have one, or in a single row without.
    func changes(at places: Range<Int>, column: Int, reader: Role) throws(PostgresError) -> StoredChanges {
        let isNone = try self[places.lowerBound].decode(SequenceNumber?.self, at: column) == nil
        if isNone { return .none }
        var changes = StoredChanges(self, at: places, column: column, reader: reader)
        try changes.cut()
        return changes
    }
}

extension [ChangeRange] {
    /// Whether these are the account's lists, each with exactly the primary's head.
    func areExactly(_ primary: [ListID: Position]) -> Bool {
        count == primary.count && allSatisfy { $0.position == primary[$0.list] }
    }
}
