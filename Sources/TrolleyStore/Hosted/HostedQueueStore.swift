package import TrolleyJournal
import TrolleyPostgres
package import TrolleySync
package import TrolleyWire

/// The lists and queues of a hosted device, in PostgreSQL. Several processes may use it at once.
package struct HostedQueueStore: Sendable {
    /// The maximum number of entries in a device's upload queue, over all lists, and of entries of its own that have not come
    /// back to one list.
    package static let maxWaiting = 1000
    /// With this many rejected entries, a device takes no more changes that must wait, since these may be rejected, too.
    package static let maxRejected = 1000

    let store: Store
    package let device: DeviceID
    /// Whether received entries stay in the to-apply queue until they are acknowledged, whatever the engine decides.
    /// Items that were added and finished meanwhile leave it all the same.
    private let waitsForAcknowledgement: Bool
    /// Whether a list that waits by itself waits also when the device makes a change. Nobody sees the list, so that is no request
    /// for another try, which may be long.
    private let listsWaitAlways: Bool
    /// The device's account. An integration sees only the lists that the account is on.
    let account: AccountID?
    /// Called with each list that could not be stored, and the reason.
    let onUnstored: @Sendable (ListID, QueueStoreError) -> Void
    /// The account whose memory budget counts what is read; see ``Store/memory``.
    var reader: AccountID { account ?? AccountID(device.bits) }

    /// - Parameters:
    ///   - device: a device that ``Store/createHostedDevice(account:name:tokenHash:defaultList:)`` has created.
    ///   - account: the device's account; nil, for queues without a service: an integration sees all of the device's lists,
    ///     and the device has a memory budget of its own.
    package init(
        store: Store, device: DeviceID, account: AccountID?, waitsForAcknowledgement: Bool = false,
        listsWaitAlways: Bool = false,
        onUnstored: @escaping @Sendable (ListID, QueueStoreError) -> Void = { _, _ in }
    ) {
        self.store = store
        self.device = device
        self.account = account
        self.waitsForAcknowledgement = waitsForAcknowledgement
        self.listsWaitAlways = listsWaitAlways
        self.onUnstored = onUnstored
    }

    /// Runs `body` in a transaction, which is rolled back when `body` throws.
    func transaction<Value>(
        _ body: (HostedTransaction) async throws -> Value
    ) async throws(QueueStoreError) -> Value {
        do { return try await untypedTransaction(body) } catch { throw QueueStoreError(error) }
    }

    func untypedTransaction<Value>(_ body: (HostedTransaction) async throws -> Value) async throws -> Value {
        try await store.pool.withTransaction { connection in
            try await body(HostedTransaction(connection, device: device, reservation()))
        }
    }

    /// The memory for what a transaction reads.
    func reservation() -> ReadReservation { store.memory.reservation(for: reader) }

    /// Runs statements as one transaction, in one round trip.
    func run(_ queries: [Query]) async throws(QueueStoreError) -> [Rows] {
        do { return try await store.pool.withConnection { try await $0.pipeline(queries) } } catch {
            throw QueueStoreError(error)
        }
    }

    func decoding<Value>(_ body: () throws -> Value) throws(QueueStoreError) -> Value {
        do { return try body() } catch { throw QueueStoreError(error) }
    }
}

extension HostedQueueStore: QueueStore {
    package func addList(_ list: ListID) async throws(QueueStoreError) {
        _ = try await run([.execute(HostedQueueSQL.insertList, [device, list, false])])
    }

    // A hosted device has no lists of its own alone, so none leaves the service.
    package func noteDeleted(_ list: ListID) async throws(QueueStoreError) {}

    package func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry] {
        try await transaction { transaction in
            try await transaction.append(entries, to: try await transaction.lock(list), made: made)
        }
    }

    package func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.journal(of: list)
        }
    }

    /// The fold of all received entries, acknowledged or not, with the device's own changes on top.
    package func state(of list: ListID) async throws(QueueStoreError) -> ListState {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.state(of: list)
        }
    }

    package func deviceStatus() async throws(QueueStoreError) -> DeviceStatus {
        let answers = try await run([
            .execute(HostedDeviceSQL.retryState, [device]), .execute(HostedQueueSQL.deviceStatus, [device]),
        ])
        return try decoding {
            var deviceStatus = DeviceStatus(
                retryState: try RetryState(column: try answers[0].first?.decode(String?.self, at: 0) ?? nil))
            if listsWaitAlways {
                deviceStatus.retryState.lists = deviceStatus.retryState.lists?.map { wait in
                    var wait = wait
                    wait.askedToWait = true
                    return wait
                }
            }
            for row in answers[1] {
                let (id, isPublished, token, waiting, toApply) = try row.decode(
                    (ListID, Bool, String?, Int, Int).self)
                deviceStatus.lists.append(
                    DeviceStatus.List(
                        id: id, isPublished: isPublished, token: token, waiting: waiting, toApply: toApply))
            }
            return deviceStatus
        }
    }

    package func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry] {
        let answers = try await run([
            .execute(HostedQueueSQL.list, [device, list]), .execute(HostedQueueSQL.waiting, [device, list, limit]),
        ])
        if answers[0].isEmpty { throw .noSuchList(list) }
        return try decoding { try answers[1].map(QueuedEntry.init(row:)) }
    }

    package func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry] {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.toApply(in: list)
        }
    }

    package func toApplyCounts(in list: ListID) async throws(QueueStoreError) -> [Operation: Int] {
        let answers = try await run([.execute(HostedQueueSQL.toApplyCounts, [device, list])])
        return try decoding {
            var counts: [Operation: Int] = [:]
            for row in answers[0] {
                let (operation, count) = try row.decode((String, Int).self)
                counts[Operation(rawValue: operation) ?? .unknown, default: 0] += count
            }
            return counts
        }
    }

    package func rejected() async throws(QueueStoreError) -> [RejectedEntry] {
        let answers = try await run([.execute(HostedQueueSQL.rejected, [device])])
        return try decoding { try answers[0].map(RejectedEntry.init(row:)) }
    }

    package func refusals() async throws(QueueStoreError) -> [PastFailure] {
        let answers = try await run([.execute(HostedQueueSQL.refusals, [device])])
        return try decoding {
            try answers[0].map { row in
                let (code, count, at) = try row.decode((String, Int, Timestamp).self)
                return PastFailure(code: code, count: count, at: at)
            }
        }
    }

    /// Offers nothing again, because a hosted device's queues are restored together with the lists.
    package func notePublished(
        _ list: ListID, as answer: ListResponse?, at now: Timestamp
    ) async throws(QueueStoreError) {
        _ = try await run([.execute(HostedQueueSQL.publish, [device, list])])
    }

    /// Does nothing: a hosted device never changes an entry.
    package func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError) {}

    package func settle(_ verdicts: [UploadVerdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError) {
        do {
            try await store.pool.withTransaction(opening: [.execute(HostedQueueSQL.lockList, [device, list])]) {
                connection, answers in
                // The list may have left the device while its entries were being sent.
                guard let row = try answers[0].first.map(HostedListRow.init(row:)) else { return ((), []) }
                let transaction = HostedTransaction(connection, device: device, reservation())
                let settlement = Settlement(verdicts, through: row.through)
                return ((), try await transaction.settle(settlement, in: row, at: now))
            }
        } catch { throw QueueStoreError(error) }
    }

    package func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError) {
        do {
            try await untypedTransaction { transaction in
                let finished = try await transaction.takeFinishedUnseenItems(in: try await transaction.lock(list))
                if waitsForAcknowledgement { return }
                guard shopping else {
                    try await transaction.run(HostedQueueSQL.applyAll, list)
                    return
                }
                let waiting = try await transaction.toApply(in: list)
                let showing = waiting.showingWhileShopping(finished: finished.entries)
                try await transaction.run(HostedQueueSQL.apply, list, [showing])
            }
        } catch StoreError.tooLong where waitsForAcknowledgement {
            // The queue can't be compressed, so all its entries wait until they are acknowledged. Other lists go on.
        } catch { throw QueueStoreError(error) }
    }

    package func saveRetryState(_ retryState: RetryState) async throws(QueueStoreError) {
        _ = try await run([.execute(HostedDeviceSQL.setRetryState, [device, retryState.column])])
    }
}
