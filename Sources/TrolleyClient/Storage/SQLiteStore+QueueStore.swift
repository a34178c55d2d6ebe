import GRDB
public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

extension SQLiteStore: QueueStore {
    public func addList(_ list: ListID) async throws(QueueStoreError) {
        try await write { _ = try $0.insertList(list, published: false) }
    }

    public func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry] {
        try await write { try $0.append(entries, to: try $0.list(list), made: made) }
    }

    public func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal {
        try await read { try $0.journal(of: try $0.list(list)) }
    }

    public func state(of list: ListID) async throws(QueueStoreError) -> ListState {
        try await read { try $0.state(of: try $0.list(list)) }
    }

    public func deviceStatus() async throws(QueueStoreError) -> DeviceStatus {
        try await read { transaction in
            let rows = try Row.fetchCursor(
                transaction.db,
                sql: """
                    SELECT id, published, token, shopping, local,
                      (SELECT COUNT(*) FROM pending INDEXED BY upload_queue WHERE list = list.key AND sequence IS NULL),
                      (SELECT COUNT(*) FROM entry INDEXED BY to_apply WHERE list = list.key AND applied = 0),
                      ownership IS NULL
                    FROM list WHERE account = ? ORDER BY key
                    """,
                arguments: [try transaction.account()])
            var deviceStatus = DeviceStatus(
                retryState: try transaction.retryState(),
                leaving: try transaction.leavingLists())
            while let row = try rows.next() {
                let (isPublished, isLocal, isUnsaid): (Bool, Bool, Bool) = (row[1], row[4], row[7])
                if isPublished, !isLocal, isUnsaid { deviceStatus.lacksOwnership = true }
                deviceStatus.lists.append(
                    DeviceStatus.List(
                        id: try ListID(data: row[0]), isPublished: isPublished, isLocal: isLocal, token: row[2],
                        waiting: row[5], toApply: row[6], isShopping: row[3]))
            }
            return deviceStatus
        }
    }

    public func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry] {
        try await read { try $0.waiting(in: try $0.list(list), limit: limit) }
    }

    public func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry] {
        try await read { try $0.confirmedEntries(of: try $0.list(list), applied: false) }
    }

    public func rejected() async throws(QueueStoreError) -> [RejectedEntry] {
        try await read { try $0.rejected() }
    }

    public func refusals() async throws(QueueStoreError) -> [PastFailure] {
        try await read { try $0.refusals() }
    }

    public func createListRequest(for list: ListID) async throws(QueueStoreError) -> CreateListRequest {
        try await read { try $0.createListRequest(for: try $0.list(list)) }
    }

    public func notePublished(
        _ list: ListID, as answer: ListResponse?, at now: Timestamp
    ) async throws(QueueStoreError) {
        try await write { transaction in
            guard let row = try transaction.find(list) else { return }
            // A service that had no such list doesn't know its place either.
            let untold = row.placeUntold.union(PlaceParts(from: ListPlace(), to: row.place))
            try transaction.db.execute(
                sql: "UPDATE list SET published = 1, place_untold = ? WHERE key = ?",
                arguments: [untold.rawValue, row.key])
            guard let answer else { return }
            try transaction.keep(ListOwner.Proof(answer.ownership), of: row)
            if answer.head < row.through { try transaction.reofferAll(of: row, at: now) }
        }
    }

    public func noteDeleted(_ list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            try transaction.db.execute(
                sql: "DELETE FROM leaving WHERE account = ? AND id = ?",
                arguments: [try transaction.account(), list.data])
        }
    }

    public func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError) {
        try await write { transaction in
            let key = try transaction.list(list).key
            let statement = try transaction.db.makeStatement(
                sql: "UPDATE pending SET sent = 1 WHERE list = ? AND id = ? AND sent = 0")
            for entry in entries { try statement.execute(arguments: [key, entry.data]) }
        }
    }

    public func noteUploadEnded(_ end: UploadEnd, in list: ListID) async throws(QueueStoreError) {
        let changed = try await write { transaction in
            // The list may have left the device while its entries were being sent.
            guard let list = try transaction.find(list) else { return false }
            return try transaction.noteUploadEnded(end, in: list)
        }
        if changed { forgetFolds() }
    }

    public func settle(_ verdicts: [UploadVerdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError) {
        try await write { transaction in
            // The list may have left the device while its entries were being sent.
            guard let list = try transaction.find(list) else { return }
            try transaction.settle(Settlement(verdicts, through: list.through), in: list, at: now)
        }
    }

    public func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> FetchOutcome
    {
        forgetFolds()
        return try await write { try $0.receive(response, at: now) }
    }

    public func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError) {
        try await write { try $0.apply(in: try $0.list(list), shopping: shopping) }
    }

    public func saveRetryState(_ retryState: RetryState) async throws(QueueStoreError) {
        try await write { try $0.set(retryState) }
    }
}
