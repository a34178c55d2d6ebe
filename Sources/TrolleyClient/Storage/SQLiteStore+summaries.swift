import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension SQLiteStore {
    func currentList() async throws(QueueStoreError) -> ListID? {
        try await read { try $0.currentList() }
    }

    func setCurrentList(_ list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.set("current", to: try transaction.list(list).id.data)
        }
    }

    func queues() async throws(QueueStoreError) -> DeviceQueues { try await read { try $0.queues() } }

    func share(of list: ListID) async throws(QueueStoreError) -> ShareState? {
        try await read { try $0.share(of: try $0.list(list)) }
    }

    /// Removes a list from the device, at the person's request.
    /// - Parameter deleting: whether to discard unsent entries; otherwise they go to the rejected ones.
    func remove(_ list: ListID, deleting: Bool, at now: Timestamp) async throws(QueueStoreError) {
        try await write { transaction in
            guard let row = try transaction.find(list) else { return }
            if deleting {
                try transaction.db.execute(sql: "DELETE FROM pending WHERE list = ?", arguments: [row.key])
            }
            try transaction.remove(row, because: .removed, at: now, notice: false)
        }
    }

    /// Deletes the tokens, so that the next fetch brings snapshots. The lists are shown as before until then.
    func forgetTokens(of list: ListID?) async throws(QueueStoreError) {
        try await write { transaction in
            for row in try transaction.lists() where list == nil || row.id == list {
                try transaction.db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [row.key])
                try transaction.db.execute(
                    sql: "UPDATE list SET token = NULL, staging = 0 WHERE key = ?", arguments: [row.key])
            }
        }
    }

    /// Turns a kept list of somebody else or of another account into the person's own list. It gets a new id, since the
    /// old one belongs to somebody else.
    /// - Parameter publishing: whether to create it on the service.
    /// - Returns: the list's new id.
    func takeOwnership(of list: ListID, publishing: Bool, at now: Timestamp) async throws(QueueStoreError) -> ListID {
        try await write { transaction in
            let row = try transaction.list(list)
            guard row.local else { return list }
            let isTheirs = try row.former != nil || transaction.otherOwner(of: row) != nil
            let id = isTheirs ? try transaction.rekey(row, at: now) : list
            if publishing {
                try transaction.db.execute(sql: "UPDATE list SET local = 0 WHERE key = ?", arguments: [row.key])
            }
            return id
        }
    }

    /// Switches shopping mode of lists, all of them or none.
    func setShopping(
        _ isShopping: Bool, shop: String? = nil, in lists: [ListID], at now: Timestamp = DeviceTime.now().wall
    ) async throws(QueueStoreError) {
        try await write { transaction in
            for list in lists {
                try transaction.setShopping(isShopping, shop: shop, in: try transaction.list(list), at: now)
            }
        }
    }

    /// Dismisses all rejected entries and notices: the person has dealt with them.
    func dismiss() async throws(QueueStoreError) -> Device.Dismissed {
        try await write { transaction in
            let dismissed = Device.Dismissed(
                rejected: try transaction.rejected(), notices: try transaction.notices())
            for table in ["rejected", "notice"] {
                try transaction.db.execute(
                    sql: "DELETE FROM \(table) WHERE account = ?", arguments: [try transaction.account()])
            }
            return dismissed
        }
    }

    /// Records a list that the person has joined.
    func join(
        _ list: ListID, permission: Permission = .readWrite, at now: Timestamp = DeviceTime.now().wall
    ) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.makeWay(for: list, at: now)
            let row = try transaction.insertList(list, published: true)
            // The list may have been kept here since the service lost it; then its contents are offered to the service.
            try transaction.db.execute(
                sql: """
                    UPDATE list SET published = 1, local = 0, former = NULL, ownership = coalesce(ownership, x'')
                    WHERE key = ?
                    """, arguments: [row.key])
            if permission == .readOnly { try transaction.giveUpOffered(in: row, at: now) }
            try transaction.set("current", to: list.data)
            try transaction.forgetNotices(of: list)
        }
    }

    /// The lists' summaries, in the person's order.
    func summaries() async throws(QueueStoreError) -> [ListSummary] {
        try await read { try $0.summaries() }
    }
}
