import TrolleyJournal
import TrolleyPostgres

extension Store {
    /// Completes the next lists in each unfinished backfill. Safe to repeat, to kill, and to run in two processes at once. A backfill
    /// that fails holds up no other, and goes on with the same lists the next time.
    /// - Parameter count: the number of lists.
    /// - Returns: the backfills that this call has worked on, as they are now; none: all are finished.
    package func continueBackfills(lists count: Int = 100) async throws(StoreError) -> [BackfillProgress] {
        let known = try await backfills()
        var worked: Set<String> = []
        var failure: StoreError?
        for progress in known where !progress.isFinished {
            // One of a later version goes on in that version's processes.
            guard let backfill = Backfill(rawValue: progress.name) else { continue }
            worked.insert(progress.name)
            do throws(StoreError) {
                try await advance(backfill, from: progress, lists: count)
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return worked.isEmpty ? [] : try await backfills().filter { worked.contains($0.name) }
    }

    private func backfills() async throws(StoreError) -> [BackfillProgress] {
        try await all(BackfillSQL.state) { row throws(PostgresError) in try BackfillProgress(row: row) }
    }

    private func advance(
        _ backfill: Backfill, from progress: BackfillProgress, lists count: Int
    ) async throws(StoreError) {
        if progress.ofLists == nil {
            // Only to tell how far it is: very many lists may not be counted in time.
            let lists = try? await one(BackfillSQL.count) { row throws(PostgresError) in
                try row.decode(Int64.self, at: 0)
            }
            try await execute(BackfillSQL.begin, [backfill.rawValue, lists ?? 0])
        }
        let page = try await all(BackfillSQL.page, [progress.after, count]) { row throws(PostgresError) in
            try row.decode(ListID.self, at: 0)
        }
        // Each is a transaction of its own: it may wait for one list's lock while it holds no other's.
        for list in page { try await execute(backfill.statement, [list]) }
        let last = page.last ?? progress.after
        if !page.isEmpty {
            try await execute(BackfillSQL.advance, [backfill.rawValue, progress.after, last, page.count])
        }
        if page.count < count { try await execute(BackfillSQL.finish, [backfill.rawValue, last]) }
    }
}

extension Migrator {
    /// How far the backfills are. A database that lacks the migration has none.
    /// - Throws: `PostgresError`.
    package func backfills() async throws -> [BackfillProgress] {
        try await pool.withTransaction(isolation: .readOnly) { connection in
            guard try await connection.execute(BackfillSQL.exists)[0].decode(Bool.self, at: 0) else { return [] }
            return try await connection.execute(BackfillSQL.state).map { try BackfillProgress(row: $0) }
        }
    }
}
