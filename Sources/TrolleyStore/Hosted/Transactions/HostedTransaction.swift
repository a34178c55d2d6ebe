import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyWire

/// One transaction on a hosted device's queues: the parts that all operations share.
struct HostedTransaction: Sendable {
    let connection: Connection
    let device: DeviceID
    /// The memory that the transaction holds for what it has read.
    let reservation: ReadReservation

    init(_ connection: Connection, device: DeviceID, _ reservation: ReadReservation) {
        self.connection = connection
        self.device = device
        self.reservation = reservation
    }

    /// Runs a statement about one of the device's lists.
    @discardableResult
    func run(_ statement: Statement, _ list: ListID, _ binds: [any PostgresEncodable] = []) async throws -> Rows {
        try await connection.execute(statement, [device, list] + binds)
    }

    /// - Throws: `QueueStoreError.noSuchList`.
    func find(_ list: ListID) async throws -> HostedListRow {
        guard let row = try await run(HostedQueueSQL.list, list).first else { throw QueueStoreError.noSuchList(list) }
        return try HostedListRow(row: row)
    }

    /// Locks the list for the rest of the transaction.
    func lockIfThere(_ list: ListID) async throws -> HostedListRow? {
        try await run(HostedQueueSQL.lockList, list).first.map(HostedListRow.init(row:))
    }

    /// - Throws: `QueueStoreError.noSuchList`.
    func lock(_ list: ListID) async throws -> HostedListRow {
        guard let row = try await lockIfThere(list) else { throw QueueStoreError.noSuchList(list) }
        return row
    }

    /// Runs a statement that reads a list's rows, after reserving memory for them.
    /// - Parameter size: returns the number of rows and the bytes of their content.
    /// - Throws: `StoreError.overloaded`, `StoreError.tooLong`.
    func run(_ statement: Statement, _ list: ListID, sizedBy size: Statement) async throws -> Rows {
        if let size = try await run(size, list).first?.decode((Int, Int).self) { try reserve(size) }
        return try await run(statement, list)
    }

    /// Reserves memory for entries to be read: their content as it arrives, and the decoded entries.
    /// - Throws: `StoreError.overloaded`, `StoreError.tooLong`.
    func reserve(_ size: (entries: Int, bytes: Int)) throws(StoreError) {
        try reservation.reserve(2 * size.bytes + 400 * size.entries)
    }

    /// - Parameter account: nil: all lists are shown.
    /// - Throws: `QueueStoreError.noSuchList`, also when the account is not on the list.
    func find(_ list: ListID, for account: AccountID?) async throws -> HostedListRow {
        guard let account else { return try await find(list) }
        let answers = try await connection.pipeline([
            .execute(MemberSQL.of, [list, account]), .execute(HostedQueueSQL.list, [device, list]),
        ])
        guard !answers[0].isEmpty, let row = answers[1].first else { throw QueueStoreError.noSuchList(list) }
        return try HostedListRow(row: row)
    }

    // MARK: A list's content

    /// All received entries, in stream order.
    func confirmed(in list: ListID) async throws -> [(entry: ConfirmedEntry, applied: Bool)] {
        try await run(HostedQueueSQL.entries, list, sizedBy: HostedQueueSQL.sizeOfEntries).map { row in
            (try ConfirmedEntry(content: try row.decode(String.self, at: 0)), try row.decode(Bool.self, at: 1))
        }
    }

    /// Received entries that are not applied, in stream order.
    func toApply(in list: ListID) async throws -> [ConfirmedEntry] {
        try await run(HostedQueueSQL.waitingEntries, list, sizedBy: HostedQueueSQL.sizeOfWaitingEntries).map { row in
            try ConfirmedEntry(content: try row.decode(String.self, at: 0))
        }
    }

    func pending(in list: ListID) async throws -> [PendingEntry] {
        try await run(HostedQueueSQL.pending, list).map(PendingEntry.init(row:))
    }

    /// Applied entries, and the device's own.
    func journal(of list: ListID) async throws -> ListJournal {
        ListJournal(
            confirmed: try await confirmed(in: list).filter(\.applied).map(\.entry),
            pending: try await pending(in: list))
    }

    /// All received entries, acknowledged or not, and the device's own: the list as callers see it.
    func whole(_ list: ListID) async throws -> ListJournal {
        ListJournal(
            confirmed: try await confirmed(in: list).map(\.entry), pending: try await pending(in: list))
    }

    /// The list's state.
    func state(of list: ListID) async throws -> ListState {
        let whole = try await whole(list)
        var unseen: [ItemID: EntryID] = [:]
        for row in try await run(HostedQueueSQL.unseen, list) {
            let (item, entry) = try row.decode((ItemID, EntryID).self)
            unseen[item] = entry
        }
        return ListFold(folding: whole.confirmed, pending: whole.pending).state(without: unseen)
    }

    /// Compresses the to-apply queue before it is applied: items that were added and finished meanwhile leave the
    /// queue, and those that are marked off are not shown.
    /// - Returns: these items and their entries.
    func takeFinishedUnseenItems(in list: HostedListRow) async throws -> FinishedUnseenItems {
        guard let received = list.received else { return FinishedUnseenItems() }
        var search = UnseenItemSearch(received: received)
        let waiting = try await toApply(in: list.id)
        for entry in waiting { search.scan(entry) }
        guard search.needsSecondPass else { return FinishedUnseenItems() }
        for entry in waiting { search.collect(entry) }
        let shown = try await journal(of: list.id)
        let unseenItems = search.unseenItems(over: ListFold(folding: shown.confirmed, pending: shown.pending))
        try await run(
            HostedQueueSQL.hide, list.id, [Array(unseenItems.markedOff.keys), Array(unseenItems.markedOff.values)])
        try await run(HostedQueueSQL.apply, list.id, [Array(unseenItems.entries)])
        return unseenItems
    }

    func waiting(in list: ListID, limit: Int) async throws -> [QueuedEntry] {
        try await run(HostedQueueSQL.waiting, list, [limit]).map(QueuedEntry.init(row:))
    }

    // MARK: The upload queue

    /// Numbers the entries and adds them to the end of the upload queue.
    func append(
        _ entries: [JournalEntry], to list: HostedListRow, made: DeviceTime
    ) async throws -> [JournalEntry] {
        let list = try await summed(list)
        let last = try await run(HostedQueueSQL.counter, list.id).first.map { try $0.decode(Int64.self, at: 0) } ?? 0
        var numbered = entries
        for index in numbered.indices { numbered[index].deviceSequence = last + Int64(index) + 1 }
        _ = try await connection.pipeline(queueing(numbered, in: list, made: made))
        if entries.contains(where: { $0.operation == .renameList }) { try await sum(list.id) }
        return numbered
    }

    /// The statements that add numbered entries to the end of the upload queue.
    /// - Parameters:
    ///   - list: its summary must be up to date.
    ///   - taken: the sequences that the service has given them in this transaction; nil: they wait to be sent.
    ///   - isBack: whether they have come back, too.
    func queueing(
        _ entries: [JournalEntry], in list: HostedListRow, made: DeviceTime, taken: SequenceNumber? = nil,
        isBack: Bool = false
    ) -> [Query] {
        let estimate = made.estimate(after: list.latest)
        return [
            .execute(
                HostedQueueSQL.append,
                [
                    device, list.id, made.boot, made.uptime, made.wall, estimate, entries.map(\.id),
                    entries.indices.map { list.lastPosition + Int64($0) + 1 }, entries.map(\.content),
                    entries.indices.map { taken?.advanced(by: $0) }, entries.map { _ in isBack },
                ]),
            .execute(HostedQueueSQL.setCounter, [device, list.id, entries.last?.deviceSequence ?? 0]),
            .execute(
                HostedQueueSQL.setPosition, [device, list.id, list.lastPosition + Int64(entries.count), estimate]),
        ]
    }

    /// - Returns: the statements that remain to be run.
    func settle(_ settlement: Settlement, in list: HostedListRow, at now: Timestamp) async throws -> [Query] {
        if !settlement.refused.isEmpty {
            try await reject(settlement.refused, in: list, at: now)
            // One of them may have set the list's name.
            try await sum(list.id)
        }
        let (taken, retired) = (settlement.taken, settlement.retired)
        var queries: [Query] = []
        if !taken.isEmpty {
            queries.append(
                .execute(HostedQueueSQL.take, [device, list.id, taken.map(\.entry), taken.map(\.sequence)]))
        }
        if !retired.isEmpty { queries.append(.execute(HostedQueueSQL.retire, [device, list.id, retired])) }
        return queries
    }

    func reject(_ refused: [Settlement.Refused], in list: HostedListRow, at now: Timestamp) async throws {
        if refused.isEmpty { return }
        // PostgreSQL's text can't contain a NUL character, but JSON can.
        let name = try await summed(list).name.map { name in
            String(String.UnicodeScalarView(name.unicodeScalars.filter { $0 != "\0" }))
        }
        try await run(
            HostedQueueSQL.reject, list.id,
            [refused.map(\.entry), refused.map(\.code.rawValue), refused.map(\.detail), name, now])
    }
}

extension QueueStoreError {
    init(_ error: any Error) {
        switch error {
        case let error as QueueStoreError: self = error
        case let error as PostgresError where error.isTransient: self = .busy
        case StoreError.overloaded, StoreError.busy, StoreError.unavailable: self = .busy
        case StoreError.database(let error): self = .failed("\(error)")
        case StoreError.tooLong: self = .failed("the list is too long for a hosted device")
        case is WireError, is DecodingError: self = .unreadable("what is stored can't be read")
        case let error as PostgresError: self = .failed("\(error)")
        default: self = .failed("it was cancelled")
        }
    }
}
