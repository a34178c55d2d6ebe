import GRDB
import TrolleyJournal
import TrolleySync

extension SQLiteStore {
    /// The last change of a list that the person sees: what was received, up to the first that waits to be applied.
    func shown(of list: ListID) async throws(QueueStoreError) -> SequenceNumber {
        try await read { transaction in
            let row = try transaction.list(list)
            let waiting = try Int64.fetchOne(
                transaction.db, sql: "SELECT MIN(sequence) FROM entry WHERE list = ? AND applied = 0",
                arguments: [row.key])
            return waiting.map { SequenceNumber(rawValue: $0 - 1) } ?? row.through
        }
    }

    /// Takes everything of the account off the device, also what was never sent: nobody will sign in to it again. Lists that
    /// were on this device alone stay.
    func forgetAccount() async throws(QueueStoreError) {
        try await write { transaction in
            let account = try transaction.account()
            try transaction.db.execute(sql: "DELETE FROM list WHERE account = ? AND local = 0", arguments: [account])
            for table in ["rejected", "notice"] {
                try transaction.db.execute(sql: "DELETE FROM \(table) WHERE account = ?", arguments: [account])
            }
        }
        try await signOut()
    }
}
