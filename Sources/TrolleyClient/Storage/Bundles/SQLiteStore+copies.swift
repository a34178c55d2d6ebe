import GRDB
import TrolleyJournal
import TrolleySync

// Overviews and bundles: copies of what the entries say, which are stored after they were needed.

extension TransactionFolds.Made {
    /// Fewer entries are folded in less time than a write to the disk takes.
    private static let entriesWorthStoring = 500

    /// Whether there is enough to store. Bundles are only made of many entries.
    var hasCopies: Bool {
        !bundles.isEmpty || overviews.reduce(0) { $0 + $1.entries } >= Self.entriesWorthStoring
    }
}

extension SQLiteStore {
    /// Stores the overviews and bundles that a transaction has made, so that the next program decrypts less.
    ///
    /// It never waits for another program's transaction. If it fails, on a full disk for instance, nothing is lost: lists are
    /// read from their entries then.
    func storeCopies(_ made: TransactionFolds.Made) async {
        guard made.hasCopies else { return }
        try? await queue.writeWithoutTransaction { [self] db in
            let timeout = try Int.fetchOne(db, sql: "PRAGMA busy_timeout") ?? 0
            try db.execute(sql: "PRAGMA busy_timeout = 0")
            defer { try? db.execute(sql: "PRAGMA busy_timeout = \(timeout)") }
            try db.inTransaction(.immediate) {
                let transaction = self.transaction(on: db)
                for overview in made.overviews { try transaction.keep(overview) }
                for bundles in made.bundles { try transaction.store(bundles) }
                return .commit
            }
        }
    }
}
