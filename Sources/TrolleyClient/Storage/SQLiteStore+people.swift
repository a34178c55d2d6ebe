import GRDB
import TrolleyJournal
import TrolleySync

extension SQLiteStore {
    /// The last sequence that the person sees: the last received entry before the first that waits to be applied.
    /// Changes of the share have sequences too, but are nothing to read.
    func shown(of list: ListID) async throws(QueueStoreError) -> SequenceNumber {
        try await read { transaction in
            let last = try Int64.fetchOne(
                transaction.db,
                sql: """
                    SELECT MAX(sequence) FROM entry WHERE list = ?1 AND sequence < coalesce(
                      (SELECT MIN(sequence) FROM entry INDEXED BY to_apply WHERE list = ?1 AND applied = 0), ?2)
                    """,
                arguments: [try transaction.list(list).key, Int64.max])
            return SequenceNumber(rawValue: last ?? 0)
        }
    }

    /// Removes all data of the account, including unsent changes: nobody will sign in to it again. Local lists stay.
    func forgetAccount() async throws(QueueStoreError) {
        try await write { transaction in
            let account = try transaction.account()
            try transaction.db.execute(sql: "DELETE FROM list WHERE account = ? AND local = 0", arguments: [account])
            for table in ["rejected", "notice"] {
                try transaction.db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account])
            }
        }
        try await signOut(.leave)
    }
}
