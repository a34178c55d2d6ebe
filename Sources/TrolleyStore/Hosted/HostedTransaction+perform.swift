import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyWire

extension HostedTransaction {
    /// Decides on a change, and appends it to the list's journal if possible.
    /// - Returns: the result, and the statements that store it.
    func perform(
        _ request: HostedRequest, _ look: HostedLook, sending: HostedSending?
    ) async throws -> (answer: HostedChangeResult?, closing: [Query]) {
        if look.isTaken { throw HostedChangeError.keyTaken }
        let list = try await summed(look.list)
        let change = request.change
        var entry = JournalEntry(
            id: change.entry ?? .version7(at: .now, random: RandomBits.random), operation: change.operation,
            fields: change.fields, batch: .version7(at: .now, random: RandomBits.random),
            deviceSequence: look.counter + 1)
        let item = try await aim(
            &entry, at: change.target, in: list.id, size: look.size, made: request.made.estimate(after: list.latest))
        let appended = try await append(entry, of: request, look, sending)
        if appended == nil, try await isReadOnly(list.id, for: request.account) { throw HostedChangeError.readOnly }

        let isBack = appended.map { $0.previous == list.through && list.isUpToDate && !look.isDriven } ?? false
        var closing = queueing([entry], in: list, made: request.made, taken: appended?.head, isBack: isBack)
        if isBack, let appended, let sending {
            closing += receiving(entry, of: request, appended, token: sending.token(list.id, appended))
        }
        let changed = HostedChangeResult(
            list: list.id, entry: entry.id, item: item, waiting: look.waiting + (appended == nil ? 1 : 0),
            appended: appended)
        if let key = request.key {
            closing += [
                .execute(HostedDeviceSQL.forgetRequests, [device]),
                .execute(HostedDeviceSQL.insertRequest, [device, key, request.fingerprint, changed.column]),
            ]
        }
        return (changed, closing)
    }

    /// Finds the item that an entry concerns.
    /// - Parameter target: nil: a new item, at the bottom of the list.
    /// - Returns: the item after the change; for a deletion, before it.
    private func aim(
        _ entry: inout JournalEntry, at target: HostedChange.Target?, in list: ListID,
        size: (entries: Int, bytes: Int), made: Timestamp
    ) async throws -> Item {
        defer { reservation.shrink(to: 0) }
        var shown = ListFold()
        var before: Item?
        if let target {
            try reserve(size)
            let answers = try await connection.pipeline([
                .execute(HostedQueueSQL.entries, [device, list]), .execute(HostedQueueSQL.pending, [device, list]),
            ])
            shown = ListFold(
                folding: try answers[0].map { try ConfirmedEntry(content: try $0.decode(String.self, at: 0)) },
                pending: try answers[1].map(PendingEntry.init(row:)))
            before = try shown.state.items.find(target, for: entry.operation)
            entry.item = before?.id
        } else {
            // An item whose anchor is itself goes to the bottom, whatever is there by then.
            entry.item = .version7(at: .now, random: RandomBits.random)
            entry.after = entry.item
        }
        shown.append(PendingEntry(entry: entry, madeAt: made))
        guard let item = shown.state.items.first(where: { $0.id == entry.item }) ?? before else {
            throw HostedChangeError.noSuchItem
        }
        return item
    }

    /// Appends an entry to the list's journal, if it is the next one in the upload queue and nothing prevents it.
    private func append(
        _ entry: JournalEntry, of request: HostedRequest, _ look: HostedLook, _ sending: HostedSending?
    ) async throws -> Appended? {
        guard let sending, look.list.isPublished, look.waitingInList == 0, !look.mustWait else { return nil }
        let upload = UploadRequest(entries: [UploadEntry(entry: entry, age: 0)])
        return try await connection.appendBatch([
            PendingUpload(
                try UploadBody(upload, limits: sending.limits), to: request.list,
                by: Session(account: request.account, device: device), ageCap: sending.limits.ageCap,
                quotas: sending.quotas)
        ])[0]
    }

    /// The statements that store an entry that the service has just taken, as a fetch would: it is the only new change.
    private func receiving(
        _ entry: JournalEntry, of request: HostedRequest, _ appended: Appended, token: String
    ) -> [Query] {
        guard let received = appended.mark else { return [] }
        let confirmed = ConfirmedEntry(
            entry: entry, sequence: appended.head, author: request.account, device: device, madeAt: received,
            receivedAt: received)
        return [
            putting([confirmed], in: request.list, applied: [true]),
            .execute(HostedQueueSQL.passOwn, [device, request.list, token, appended.head]),
            forgettingRetired(at: request.made.wall),
        ]
    }
}

extension HostedListRow {
    /// Whether the device has all changes up to ``through``, according to its token.
    fileprivate var isUpToDate: Bool { token != nil && !staging }
}
