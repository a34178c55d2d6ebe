import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Turns a list on the service into a list of this device alone (seed 002, part 7).

extension ShoppingList {
    /// Stops sharing the person's own list and removes it from the service. The list stays on this device with all its
    /// items. It is removed from all other devices, including this account's. The service deletes its Activity.
    ///
    /// ```swift
    /// let kept = try await list.makeLocal()
    /// print(kept.id)
    /// ```
    /// - Returns: the list from now on, with its new id.
    /// - Throws: `.notInStep`, if the list could not be fetched completely. Then it stays on the service, and is no
    ///   longer shared.
    @discardableResult
    public func makeLocal() async throws(DeviceError) -> ShoppingList {
        if try await summary().isLocal { return self }
        guard try await isOwner() else { throw .onlyOwnerShares }
        guard let session = try await device.session() else { throw .notSignedIn }
        let transport = device.transport(of: session)
        // Of those who are put off the list, the service says no name.
        let names = try await names()
        try await device.withTransportErrors { () async throws(TransportError) in try await transport.stopSharing(id) }
        if let failure = try await device.sync(.manual).failure { throw .notInStep(failure) }
        let now = device.clock().wall
        let local = try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.during(session).makeLocal(id, naming: names, at: now)
        }
        // From here on the list is leaving the service: this sync deletes it there, or a later one does.
        _ = try await device.sync(.manual)
        return device.list(local)
    }
}

extension SQLiteStore {
    /// Turns the account's list into a list of this device alone, under a new id, and stores that the old one is to be deleted.
    fileprivate func makeLocal(
        _ list: ListID, naming names: [AccountID: String], at now: Timestamp
    ) async throws(QueueStoreError) -> ListID {
        try await write { transaction in
            let row = try transaction.list(list)
            try transaction.deleteInvitations(of: row)
            let id = try transaction.rekey(row, naming: names, at: now)
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
    /// Lists that must still be deleted on the service.
    func leavingLists() throws -> [ListID] {
        let ids = try Data.fetchAll(
            db, sql: "SELECT id FROM leaving WHERE account = ? ORDER BY id", arguments: [try account()])
        return try ids.map { try ListID(data: $0) }
    }
}
