package import TrolleyJournal
import TrolleyPostgres

// Deletes old discards from the lists' trails, and old months from the Activity.

extension Store {
    /// Deletes older discards from the lists' trails. Tokens from before then count as expired, so there is never a
    /// silent gap. Runs in small transactions, each under one list's lock. Safe to repeat, to run concurrently, and to
    /// kill. A list that somebody holds for long is left for the next time.
    /// - Returns: the number of deleted discards.
    @discardableResult
    package func dropTrail(olderThan cutOff: Timestamp) async throws(StoreError) -> Int {
        var dropped = 0
        while true {
            let lists = try await all(TrailSQL.eligible, [cutOff, 1000]) { row throws(PostgresError) in
                try row.decode(ListID.self, at: 0)
            }
            guard !lists.isEmpty, !Task.isCancelled else { return dropped }
            var held = 0
            for list in lists {
                do throws(StoreError) { dropped += try await dropTrail(of: list, olderThan: cutOff) } catch {
                    guard case .busy = error else { throw error }
                    held += 1
                }
            }
            if held == lists.count { return dropped }
        }
    }

    private func dropTrail(of list: ListID, olderThan cutOff: Timestamp) async throws(StoreError) -> Int {
        try await transaction { connection in
            let answers = try await connection.pipeline([
                .execute(ListSQL.limitLockWait), .execute(ListSQL.lockAlways, [list]),
                .execute(TrailSQL.drop, [list, cutOff]),
            ])
            let sequences = try answers[2].map { try $0.decode(SequenceNumber.self, at: 0) }
            if let last = sequences.max() { try await connection.execute(TrailSQL.advance, [list, last]) }
            return sequences.count
        }
    }

    /// Drops the Activity's whole months before `cutOff`: entries that compression has archived. Live entries, states
    /// of the share and taken ids stay. While somebody reads an Activity for long, nothing is dropped.
    /// - Returns: the number of dropped months.
    @discardableResult
    package func dropActivity(olderThan cutOff: Timestamp) async throws(StoreError) -> Int {
        do throws(StoreError) { return try await dropMonths(before: cutOff) } catch {
            guard case .busy = error else { throw error }
            return 0
        }
    }

    private func dropMonths(before cutOff: Timestamp) async throws(StoreError) -> Int {
        try await transaction { connection in
            // Waits for readers of an Activity, but not long, since others queue behind this lock.
            try await connection.execute("SET LOCAL lock_timeout = '2s'")
            try await connection.execute(PartitionSQL.lock)
            let first = Month(cutOff)
            let old = try await connection.months().filter { $0 < first }.sorted()
            for month in old { try await connection.run(script: "DROP TABLE \(month.table)") }
            try await connection.execute(PartitionSQL.retain, [first.start])
            return old.count
        }
    }
}
