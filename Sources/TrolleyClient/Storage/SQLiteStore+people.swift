import GRDB
import TrolleyJournal
import TrolleySync

extension SQLiteStore {
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
