public import TrolleyJournal
import TrolleyPostgres

// What is forgotten, and when: the trail by its age, the Activity by the month.

extension Store {
    /// Drops what is older of the lists' trails. From then on a token from before is expired: never a silent gap. In
    /// small transactions, each under one list's lock; safe to run twice, at once, or killed.
    /// - Returns: discards dropped.
    @discardableResult
    public func dropTrail(olderThan cutOff: Timestamp) async throws(StoreError) -> Int {
        var dropped = 0
        while true {
            let lists = try await all(TrailSQL.eligible, [cutOff, 1000]) { row throws(PostgresError) in
                try row.decode(ListID.self, at: 0)
            }
            guard !lists.isEmpty, !Task.isCancelled else { return dropped }
            for list in lists {
                dropped += try await transaction { connection in
                    let answers = try await connection.pipeline([
                        .execute(ListSQL.lockAlways, [list]), .execute(TrailSQL.drop, [list, cutOff]),
                    ])
                    let sequences = try answers[1].map { try $0.decode(SequenceNumber.self, at: 0) }
                    if let last = sequences.max() { try await connection.execute(TrailSQL.advance, [list, last]) }
                    return sequences.count
                }
            }
        }
    }

    /// Drops the Activity's whole months before `cutOff`: entries that compression took out of the journal. What is live,
    /// states of the share and taken ids stay.
    /// - Returns: months dropped.
    @discardableResult
    public func dropActivity(olderThan cutOff: Timestamp) async throws(StoreError) -> Int {
        try await transaction { connection in
            // Whoever reads an Activity is waited for, not long, since others wait behind.
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
