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

    /// - Parameter list: only this one.
    func summaries(of list: ListID? = nil) async throws(QueueStoreError) -> [ListSummary] {
        try await read { transaction in
            let current = try transaction.currentList()
            return try transaction.lists().filter { list == nil || $0.id == list }.map { row in
                let state = try transaction.state(of: row)
                let wanted = state.items.count { !$0.markedOff }
                let people = try transaction.share(of: row)?.participants ?? []
                return ListSummary(
                    id: row.id, name: state.name, colour: state.colour, wanted: wanted,
                    markedOff: state.items.count - wanted, isCurrent: row.id == current,
                    isLocal: row.local, isKept: row.former != nil, owner: try transaction.otherOwner(of: row),
                    waiting: try transaction.countWaiting(in: row),
                    others: row.local ? 0 : people.count { $0.status == .accepted && $0.account?.data != row.account },
                    invited: row.local ? 0 : people.count { $0.status == .invited })
            }
        }
    }

    func queues() async throws(QueueStoreError) -> DeviceQueues {
        try await read { transaction in
            var queues: [ListQueues] = []
            for row in try transaction.lists() {
                let upload = try transaction.waiting(in: row, limit: .max).map(\.entry)
                let toApply = try transaction.confirmedEntries(of: row, applied: false)
                queues.append(
                    ListQueues(
                        list: row.id, name: try transaction.name(of: row), isLocal: row.local, upload: upload,
                        toApply: toApply))
            }
            return DeviceQueues(
                lists: queues, rejected: try transaction.rejected(), notices: try transaction.notices(),
                nextTry: try transaction.decoded("pace", as: Pace.self)?.nextTry)
        }
    }

    func share(of list: ListID) async throws(QueueStoreError) -> ShareState? {
        try await read { try $0.share(of: try $0.list(list)) }
    }

    /// Takes a list off the device, by the person's own doing.
    /// - Parameter deleting: with all that is in it; else unsent entries are kept in sight.
    func remove(_ list: ListID, deleting: Bool, at now: Timestamp) async throws(QueueStoreError) {
        try await write { transaction in
            guard let row = try transaction.find(list) else { return }
            if deleting {
                try transaction.db.execute(sql: "DELETE FROM pending WHERE list = ?", arguments: [row.key])
            }
            try transaction.remove(row, because: .removed, at: now, notice: false)
        }
    }

    /// Forgets the tokens, so that the next fetch brings snapshots. What is shown stays until they are here.
    func forgetTokens(of list: ListID?) async throws(QueueStoreError) {
        try await write { transaction in
            for row in try transaction.lists() where list == nil || row.id == list {
                try transaction.db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [row.key])
                try transaction.db.execute(
                    sql: "UPDATE list SET token = NULL, staging = 0 WHERE key = ?", arguments: [row.key])
            }
        }
    }

    func setLocal(_ list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.db.execute(
                sql: "UPDATE list SET local = 1 WHERE key = ? AND published = 0",
                arguments: [try transaction.list(list).key])
        }
    }

    /// Makes a list that is kept on this device, and was somebody else's or another account's, a list of the person's own: under
    /// another id, since the old one is not theirs to take.
    /// - Parameter publishing: whether it goes to the service from now on.
    /// - Returns: the list's id from now on.
    func makeOwn(_ list: ListID, publishing: Bool, at now: Timestamp) async throws(QueueStoreError) -> ListID {
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

    func setShopping(_ isShopping: Bool, in list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            let row = try transaction.list(list)
            try transaction.db.execute(
                sql: "UPDATE list SET shopping = ? WHERE key = ?", arguments: [isShopping, row.key])
            if !isShopping { try transaction.apply(in: row, shopping: false) }
        }
    }

    /// Puts what was refused of lists that are here back into their upload queues, as new entries of the same content.
    /// - Parameters:
    ///   - only: this one; nil: all.
    ///   - fields: in place of those that it had.
    /// - Returns: how many there were.
    func retry(
        made: DeviceTime, only: EntryID? = nil, fields: Fields? = nil, identifier: @escaping @Sendable () -> EntryID
    ) async throws(QueueStoreError) -> Int {
        try await write { transaction in
            var count = 0
            for rejected in try transaction.rejected() where only == nil || rejected.entry.id == only {
                guard let row = try transaction.find(rejected.list) else { continue }
                var entry = rejected.entry
                entry.id = identifier()
                entry.fields = fields ?? entry.fields
                _ = try transaction.append([entry], to: row, made: made)
                try transaction.db.execute(
                    sql: "DELETE FROM rejected WHERE account = ? AND list = ? AND id = ?",
                    arguments: [try transaction.account(), rejected.list.data, rejected.entry.id.data])
                count += 1
            }
            return count
        }
    }

    /// Takes what was refused, and what lists have left, out of sight: the person has dealt with it.
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

    /// Takes what was refused of one list out of sight.
    func dismiss(_ rejected: [EntryID], of list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            for id in rejected {
                try transaction.db.execute(
                    sql: "DELETE FROM rejected WHERE account = ? AND list = ? AND id = ?",
                    arguments: [try transaction.account(), list.data, id.data])
            }
        }
    }

    /// Takes in a list that one has joined.
    func join(
        _ list: ListID, permission: Permission = .readWrite, at now: Timestamp = DeviceTime.now().wall
    ) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.putAside(list, at: now)
            let row = try transaction.insertList(list, published: true)
            // It may have been kept here since the service lost it: what is here is offered then.
            try transaction.db.execute(
                sql: """
                    UPDATE list SET published = 1, local = 0, former = NULL, ownership = coalesce(ownership, x'')
                    WHERE key = ?
                    """, arguments: [row.key])
            // What was kept of it is not theirs to offer.
            if permission == .readOnly {
                try transaction.db.execute(
                    sql: "DELETE FROM pending WHERE list = ? AND offered = 1", arguments: [row.key])
            }
            try transaction.set("current", to: list.data)
            try transaction.forgetNotices(of: list)
        }
    }
}

extension StoreTransaction {
    /// The list that was chosen, while it is here; the first there is as long as none was.
    func currentList() throws -> ListID? {
        if let chosen = try value("current") { return try find(try ListID(data: chosen))?.id }
        return try lists().first?.id
    }

    func countWaiting(in list: ListRow) throws -> Int {
        try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM pending INDEXED BY upload_queue WHERE list = ? AND sequence IS NULL",
            arguments: [list.key]) ?? 0
    }
}
