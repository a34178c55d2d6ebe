import GRDB
public import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// A shared list becomes a list of this device alone again, as it was before it was first shared (seed 002, part 7).

extension Device {
    /// Ends the sharing of one's own list and takes it off the service. It stays on this device alone, with all that is on it; it
    /// leaves everybody else's devices, and this account's others. What happened to it before is no longer known to the service.
    /// - Returns: the list's id from now on.
    /// - Throws: `.notInStep`, when not all of it could be fetched: then it is on the service still, shared with nobody.
    @discardableResult
    public func makeLocal(_ list: ListID) async throws(DeviceError) -> ListID {
        if try await summary(of: list).isLocal { return list }
        guard try await isOwner(of: list) else { throw .onlyOwnerShares }
        let transport = try await transport()
        try await withTransportErrors { () async throws(TransportError) in try await transport.stopSharing(list) }
        if let failure = try await sync(.manual).failure { throw .notInStep(failure) }
        let now = clock().wall
        let local = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.makeLocal(list, at: now)
        }
        // Whatever happens now, the next sync goes on here.
        try await finishLeaving()
        return local
    }

    /// Deletes lists on the service that have become lists of this device alone. What can't be done now is done with the next sync.
    func finishLeaving() async throws(DeviceError) {
        let leaving = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.read { try $0.leavingLists() }
        }
        guard !leaving.isEmpty, let session = try await session() else { return }
        let transport = transport(of: session)
        for list in leaving.sorted() {
            do {
                try await transport.deleteList(list)
            } catch .problem(let problem) where [.listNotFound, .listDeleted].contains(problem.code) {
                // It is gone already.
            } catch {
                return
            }
            try await withStoreErrors { () async throws(QueueStoreError) in
                try await store.write { transaction in
                    try transaction.db.execute(
                        sql: "DELETE FROM leaving WHERE account = ? AND id = ?",
                        arguments: [try transaction.account(), list.data])
                }
            }
        }
    }
}

extension SQLiteStore {
    /// Makes a list of the account's a list of this device alone, under another id, and remembers to delete the old one.
    fileprivate func makeLocal(_ list: ListID, at now: Timestamp) async throws(QueueStoreError) -> ListID {
        try await write { transaction in
            let row = try transaction.list(list)
            let id = try transaction.rekey(row, at: now)
            try transaction.db.execute(
                sql: "UPDATE list SET local = 1, shopping = 0 WHERE key = ?", arguments: [row.key])
            try transaction.db.execute(
                sql: "INSERT OR IGNORE INTO leaving (account, id) VALUES (?, ?)",
                arguments: [try transaction.account(), list.data])
            return id
        }
    }
}

extension StoreTransaction {
    /// Lists that are still on the service, and are to be deleted there.
    func leavingLists() throws -> Set<ListID> {
        let ids = try Data.fetchAll(db, sql: "SELECT id FROM leaving WHERE account = ?", arguments: [try account()])
        return Set(try ids.map { try ListID(data: $0) })
    }
}
