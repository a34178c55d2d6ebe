public import TrolleyJournal
import TrolleyPostgres
public import TrolleySync
public import TrolleyWire

/// The lists and queues of a device that the service drives, in PostgreSQL. Several processes may use it at once.
public struct HostedQueueStore: Sendable {
    let store: Store
    public let device: DeviceID
    /// Whether what is received stays in the to-apply queue until it is acknowledged, whatever the engine says; but for
    /// what came and was finished meanwhile.
    private let waitsForAcknowledgement: Bool
    /// Whose memory counts what is read; see ``Store/memory``.
    private let reader: AccountID

    /// - Parameters:
    ///   - device: one that ``Store/createHostedDevice(account:name:tokenHash:defaultList:)`` has made.
    ///   - account: whose device it is; nil: the device has memory of its own.
    public init(
        store: Store, device: DeviceID, account: AccountID? = nil, waitsForAcknowledgement: Bool = false
    ) {
        self.store = store
        self.device = device
        reader = account ?? AccountID(device.bits)
        self.waitsForAcknowledgement = waitsForAcknowledgement
    }

    /// Runs `body` in a transaction, which is rolled back when `body` throws.
    func transaction<Value>(
        _ body: (HostedTransaction) async throws -> Value
    ) async throws(QueueStoreError) -> Value {
        do { return try await untypedTransaction(body) } catch { throw QueueStoreError(error) }
    }

    func untypedTransaction<Value>(_ body: (HostedTransaction) async throws -> Value) async throws -> Value {
        try await store.pool.withTransaction { connection in
            try await body(HostedTransaction(connection, device: device, store.memory.holding(for: reader)))
        }
    }
}

extension HostedQueueStore: QueueStore {
    public func addList(_ list: ListID) async throws(QueueStoreError) {
        try await transaction { _ = try await $0.run(HostedQueueSQL.insertList, list, [false]) }
    }

    public func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry] {
        try await transaction { transaction in
            let row = try await transaction.lock(list)
            let latest = try await transaction.journal(of: list).latest
            return try await transaction.append(entries, to: row, made: made, after: latest)
        }
    }

    public func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.journal(of: list)
        }
    }

    /// All that was received, acknowledged or not, with the device's own changes on top.
    public func state(of list: ListID) async throws(QueueStoreError) -> ListState {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.state(of: list)
        }
    }

    public func standing() async throws(QueueStoreError) -> Standing {
        try await transaction { transaction in
            let answers = try await transaction.connection.pipeline([
                .execute(HostedDeviceSQL.pace, [device]), .execute(HostedQueueSQL.standing, [device]),
            ])
            var standing = Standing(pace: try Pace(column: try answers[0].first?.decode(String?.self, at: 0) ?? nil))
            for row in answers[1] {
                let (id, isPublished, token, waiting, toApply) = try row.decode(
                    (ListID, Bool, String?, Int, Int).self)
                standing.lists.append(
                    Standing.List(
                        id: id, isPublished: isPublished, token: token, waiting: waiting, toApply: toApply))
            }
            return standing
        }
    }

    public func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry] {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.waiting(in: list, limit: limit)
        }
    }

    public func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry] {
        try await transaction { transaction in
            _ = try await transaction.find(list)
            return try await transaction.toApply(in: list)
        }
    }

    public func rejected() async throws(QueueStoreError) -> [RejectedEntry] {
        try await transaction { try await $0.rejected() }
    }

    public func refusals() async throws(QueueStoreError) -> [PastFailure] {
        try await transaction { try await $0.refusals() }
    }

    /// A hosted device's queues are restored with the lists, so nothing is offered again here.
    public func notePublished(
        _ list: ListID, as answer: ListResponse?, at now: Timestamp
    ) async throws(QueueStoreError) {
        try await transaction { _ = try await $0.run(HostedQueueSQL.publish, list) }
    }

    /// Nothing to note: a hosted device never changes an entry.
    public func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError) {}

    public func settle(_ verdicts: [Verdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError) {
        try await transaction { transaction in
            // The list may have left the device while its entries were on their way.
            guard let row = try await transaction.lockIfThere(list) else { return }
            try await transaction.settle(verdicts, in: row, at: now)
        }
    }

    public func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> Receipt {
        try await transaction { try await $0.receive(response, at: now) }
    }

    public func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError) {
        try await transaction { transaction in
            let finished = try await transaction.takeFinishedArrivals(in: try await transaction.lock(list))
            if waitsForAcknowledgement { return }
            guard shopping else {
                try await transaction.run(HostedQueueSQL.applyAll, list)
                return
            }
            let waiting = try await transaction.toApply(in: list)
            let showing = waiting.showingWhileShopping(finished: finished.entries)
            try await transaction.run(HostedQueueSQL.apply, list, [showing])
        }
    }

    public func remember(_ pace: Pace) async throws(QueueStoreError) {
        try await transaction { transaction in
            _ = try await transaction.connection.execute(HostedDeviceSQL.setPace, [device, try pace.column])
        }
    }
}
