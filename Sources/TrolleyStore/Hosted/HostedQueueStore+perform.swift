package import TrolleyJournal
import TrolleyPostgres
package import TrolleySync
import TrolleyWire

extension HostedQueueStore {
    /// Makes a change: when this returns, it is in the list and in the upload queue. A repeated request, recognised by
    /// its key or its entry's id, gets the first answer.
    ///
    /// The queues have room for ``maxWaiting`` and ``maxRejected`` entries; beyond that nothing is stored.
    /// - Parameters:
    ///   - account: the device's account.
    ///   - sending: also appends the change to the list's journal in the same transaction, unless something prevents
    ///     it: earlier entries in the upload queue, another upload to the list, a need for a separate check, or another
    ///     database. Otherwise the change waits in the upload queue.
    package func perform(
        _ change: HostedChange, on list: ListID, by account: AccountID, made: DeviceTime, sending: HostedSending? = nil
    ) async throws(HostedChangeError) -> HostedChangeResult {
        let request = HostedRequest(change, on: list, by: account, made: made)
        return try await typed {
            if let sending, let changed = try await send(request, sending) { return changed }
            guard let changed = try await perform(request, sending: nil) else { throw HostedChangeError.noSuchList }
            return changed
        }
    }

    /// - Returns: nil when another transaction holds the device or the list, or the database refused the change; then
    ///   nothing was stored.
    private func send(_ request: HostedRequest, _ sending: HostedSending) async throws -> HostedChangeResult? {
        // There, lists and devices are in two databases.
        if try await store.nodes() != nil { return nil }
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

    /// - Returns: nil when there is no such list, or the account is not on it; for a change to be sent, also when another
    ///   transaction holds the list or the device.
    private func perform(_ request: HostedRequest, sending: HostedSending?) async throws -> HostedChangeResult? {
        try await store.pool.withTransaction(opening: request.opening(of: device, onlyFree: sending != nil)) {
            connection, answers in
            guard let look = try HostedLook(answers) else { return (nil, []) }
            if let first = try look.firstAnswer(to: request) { return (first, []) }
            let transaction = HostedTransaction(connection, device: device, reservation())
            return try await transaction.perform(request, look, sending: sending)
        }
    }
}

/// A change that a hosted device was asked to make.
struct HostedRequest {
    let change: HostedChange
    let list: ListID
    let account: AccountID
    let made: DeviceTime
    /// The hash by which a repeated request is recognised; nil: there is none.
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

    /// Queries that lock the device and then its list, and read the basis for deciding about the change:
    /// ``HostedLook``.
    /// - Parameter onlyFree: whether to skip locks that other transactions hold.
    func opening(of device: DeviceID, onlyFree: Bool) -> [Query] {
        var queries: [Query] = [
            .execute(onlyFree ? HostedDeviceSQL.lockFree : HostedDeviceSQL.lock, [device]),
            .execute(onlyFree ? HostedQueueSQL.lockFreeList : HostedQueueSQL.lockList, [device, list]),
            .execute(HostedDeviceSQL.request, [device, key]),
            .execute(HostedQueueSQL.hasEntry, [device, list, change.entry]),
            .execute(HostedQueueSQL.counter, [device, list]),
            .execute(HostedQueueSQL.countWaiting, [device, list]),
            .execute(HostedQueueSQL.sizeOfEntries, [device, list]), .execute(MemberSQL.of, [list, account]),
        ]
        if let text = change.addedText {
            queries.append(.execute(HostedQueueSQL.mayHaveName, [device, list, text.namePattern]))
        }
        return queries
    }
}

/// The state from which a change is decided, read under the locks of the device and its list.
struct HostedLook {
    /// Whether the device has a lease, and whether the service has told it to wait.
    let isDriven: Bool
    let mustWait: Bool
    /// How often the list has failed, if it waits by itself; 0: it doesn't wait.
    private let failures: Int
    let list: HostedListRow
    /// Whether the list has an entry with the new entry's id.
    let isTaken: Bool
    /// The last number of the device's entries on the list.
    let counter: Int64
    /// The number of entries in the upload queue, over all lists and of this one.
    let waiting: Int
    let waitingInList: Int
    /// The number of the list's own entries that have not come back: those that wait, and those that the service has taken.
    let unconfirmed: Int
    /// The number of the device's rejected entries.
    let rejected: Int
    /// The number of the list's entries on the device, and the bytes of their content.
    let size: (entries: Int, bytes: Int)
    /// Whether the change adds an item and an entry has a similar text. Otherwise the list need not be read.
    let mayHaveName: Bool
    private let first: Row?

    /// - Parameter answers: to `HostedRequest.opening`.
    /// - Returns: nil when there is no such list, when the account is not on it, or when another transaction holds the list or
    ///   the device.
    init?(_ answers: [Rows]) throws {
        guard let device = answers[0].first, let list = answers[1].first, !answers[7].isEmpty else { return nil }
        let pace: String?
        (isDriven, mustWait, pace) = try device.decode((Bool, Bool, String?).self)
        let row = try HostedListRow(row: list)
        failures = try pace.flatMap { try RetryState(column: $0).lists?.first { $0.list == row.id }?.failures } ?? 0
        self.list = row
        first = answers[2].first
        isTaken = !answers[3].isEmpty
        counter = try answers[4].first?.decode(at: 0) ?? 0
        (waiting, waitingInList, unconfirmed, rejected) = try answers[5][0].decode((Int, Int, Int, Int).self)
        size = try answers[6][0].decode((Int, Int).self)
        mayHaveName = answers.count > 8 && !answers[8].isEmpty
    }

    /// - Throws: `.notFetched`; `.notStored`, if the list fails again and again although the service takes the device's entries
    ///   on it. Nothing that is added would ever come back.
    func checkList() throws(HostedChangeError) {
        if !list.isFetched { throw .notFetched }
        if failures > 1, unconfirmed > waitingInList { throw .notStored }
    }

    /// - Parameter isTaken: whether the service takes the entries in the same transaction, so that they don't wait.
    /// - Throws: `.tooManyWaiting`, `.tooManyRejected`, if there is no room for more entries of the device's own.
    func checkRoom(for entries: Int, isTaken: Bool) throws(HostedChangeError) {
        if entries == 0 { return }
        if unconfirmed + entries > HostedQueueStore.maxWaiting { throw .tooManyWaiting }
        if isTaken { return }
        if rejected >= HostedQueueStore.maxRejected { throw .tooManyRejected }
        if waiting + entries > HostedQueueStore.maxWaiting { throw .tooManyWaiting }
    }

    /// The first answer to a repeated request; nil when the request is new.
    /// - Throws: `HostedChangeError.keyTaken`.
    func firstAnswer(to request: HostedRequest) throws -> HostedChangeResult? {
        guard let first else { return nil }
        let (hash, answer) = try first.decode(([UInt8], String).self)
        guard hash == request.fingerprint else { throw HostedChangeError.keyTaken }
        var changed = try HostedChangeResult(column: answer)
        changed.waiting = waiting
        return changed
    }
}

extension HostedChange {
    /// The text of the item to add; nil for other changes.
    fileprivate var addedText: String? { operation == .add ? fields[Fields.text]?.string : nil }
}

extension String {
    /// A pattern of `ILIKE` for the JSON of entries whose text has the same `itemKey`. It also matches other texts,
    /// because it compares only ASCII letters and digits, which PostgreSQL compares in the same way with every locale.
    fileprivate var namePattern: String {
        var pattern = #"%"text":""#
        for character in itemKey.text.unicodeScalars {
            if ("a"..."z").contains(character) || ("0"..."9").contains(character) {
                pattern.unicodeScalars.append(character)
            } else if pattern.last != "%" {
                pattern.append("%")
            }
        }
        return pattern + #""%"#
    }
}
