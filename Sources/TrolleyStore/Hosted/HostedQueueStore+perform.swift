public import TrolleyJournal
import TrolleyPostgres
public import TrolleySync
import TrolleyWire

extension HostedQueueStore {
    /// Makes a change: it is in the list and in the upload queue when this returns. The same request again, as its key or
    /// its entry's id says, gets the first answer.
    /// - Parameters:
    ///   - account: whose device it is.
    ///   - sending: takes the change into the list's journal in the same transaction, where nothing stands in the way: its
    ///     upload queue's turn, another upload to the list, what needs a closer look, or another database. It waits in the
    ///     upload queue otherwise.
    public func perform(
        _ change: HostedChange, on list: ListID, by account: AccountID, made: DeviceTime, sending: HostedSending? = nil
    ) async throws(HostedChangeError) -> HostedChanged {
        let request = HostedRequest(change, on: list, by: account, made: made)
        return try await typed {
            if let sending, let changed = try await send(request, sending) { return changed }
            guard let changed = try await perform(request, sending: nil) else { throw HostedChangeError.noSuchList }
            return changed
        }
    }

    /// - Returns: nil when the device or the list is held elsewhere, or the database refused it; nothing was stored then.
    private func send(_ request: HostedRequest, _ sending: HostedSending) async throws -> HostedChanged? {
        // Lists and devices are in two databases there.
        if try await store.topology.isDistributed() { return nil }
        do {
            let changed = try await store.appender.inLane(of: request.list) {
                try await perform(request, sending: sending)
            }
            if changed?.appended != nil { store.writes.noteSuccess() }
            return changed
        } catch StoreError.busy {
            return nil
        } catch let error as PostgresError where error.kind == .server {
            return nil
        }
    }

    /// - Returns: nil when there is no such list; when it is to be sent, also when somebody else holds the list or the device.
    private func perform(_ request: HostedRequest, sending: HostedSending?) async throws -> HostedChanged? {
        try await store.pool.withTransaction(opening: request.opening(of: device, onlyFree: sending != nil)) {
            connection, answers in
            guard let look = try HostedLook(answers) else { return (nil, []) }
            if let first = try look.firstAnswer(to: request) { return (first, []) }
            let transaction = HostedTransaction(connection, device: device, holding())
            return try await transaction.perform(request, look, sending: sending)
        }
    }
}

/// A change that is asked of a hosted device.
struct HostedRequest {
    let change: HostedChange
    let list: ListID
    let account: AccountID
    let made: DeviceTime
    /// What it is known by; nil: nothing.
    let key: [UInt8]?
    let fingerprint: [UInt8]

    init(_ change: HostedChange, on list: ListID, by account: AccountID, made: DeviceTime) {
        self.change = change
        self.list = list
        self.account = account
        self.made = made
        key = change.keyHash(on: list)
        fingerprint = change.fingerprint(on: list)
    }

    /// What locks the device and then its list, and reads what a change is decided from: ``HostedLook``.
    /// - Parameter onlyFree: take no lock that somebody else has.
    func opening(of device: DeviceID, onlyFree: Bool) -> [Query] {
        var queries: [Query] = [
            .execute(onlyFree ? HostedDeviceSQL.lockFree : HostedDeviceSQL.lock, [device]),
            .execute(onlyFree ? HostedQueueSQL.lockFreeList : HostedQueueSQL.lockList, [device, list]),
            .execute(HostedDeviceSQL.request, [device, key]),
            .execute(HostedQueueSQL.hasEntry, [device, list, change.entry]),
            .execute(HostedQueueSQL.counter, [device, list]),
            .execute(HostedQueueSQL.countWaiting, [device, list]),
        ]
        if change.target != nil { queries.append(.execute(HostedQueueSQL.sizeOfEntries, [device, list])) }
        return queries
    }
}

/// What a change is decided from, read under the locks of the device and of its list.
struct HostedLook {
    /// Whether somebody drives the device, and whether the service has told it to wait.
    let isDriven: Bool
    let mustWait: Bool
    let list: HostedListRow
    /// Whether the entry's id is taken in the list.
    let isTaken: Bool
    /// The last number that an entry of the device's has in the list.
    let counter: Int64
    /// Entries in the upload queue, over all lists and of this one.
    let waiting: Int
    let waitingInList: Int
    /// Entries that the device has of the list, and bytes of their content, when items are looked for.
    let size: (entries: Int, bytes: Int)
    private let first: Row?

    /// - Parameter answers: to `HostedRequest.opening`.
    /// - Returns: nil when there is no such list, or it or the device is not free.
    init?(_ answers: [Rows]) throws {
        guard let device = answers[0].first, let list = answers[1].first else { return nil }
        (isDriven, mustWait) = try device.decode((Bool, Bool).self)
        self.list = try HostedListRow(row: list)
        first = answers[2].first
        isTaken = !answers[3].isEmpty
        counter = try answers[4].first?.decode(at: 0) ?? 0
        (waiting, waitingInList) = try answers[5][0].decode((Int, Int).self)
        size = try answers.count > 6 ? answers[6][0].decode((Int, Int).self) : (0, 0)
    }

    /// What was answered when the request came first; nil when it has not come before.
    /// - Throws: `HostedChangeError.keyTaken`.
    func firstAnswer(to request: HostedRequest) throws -> HostedChanged? {
        guard let first else { return nil }
        let (hash, answer) = try first.decode(([UInt8], String).self)
        guard hash == request.fingerprint else { throw HostedChangeError.keyTaken }
        var changed = try HostedChanged(column: answer)
        changed.waiting = waiting
        return changed
    }
}
