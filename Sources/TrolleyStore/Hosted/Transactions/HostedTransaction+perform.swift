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
        try look.checkList()
        let list = try await summed(look.list)
        let change = request.change
        var entry = JournalEntry(
            id: change.entry ?? .version7(at: .now, random: RandomBits.random), operation: change.operation,
            fields: change.fields, batch: .version7(at: .now, random: RandomBits.random),
            deviceSequence: look.counter + 1)
        let made = request.made.estimate(after: list.latest)
        let entries: [JournalEntry]
        let item: Item
        if look.mayHaveName, let addition = try await adding(entry, to: list.id, size: look.size, made: made) {
            entries = addition.entries
            item = addition.item
        } else {
            item = try await aim(&entry, at: change.target, in: list.id, size: look.size, made: made)
            entries = [entry]
        }
        let appended = try await append(entries, of: request, look, sending)
        if appended == nil, try await isReadOnly(list.id, for: request.account) { throw HostedChangeError.readOnly }
        // Rolls back what was appended, too.
        try look.checkRoom(for: entries.count, isTaken: appended != nil)

        let isBack = appended.map { $0.previous == list.through && list.isUpToDate && !look.isDriven } ?? false
        var closing: [Query] = []
        if !entries.isEmpty {
            closing += queueing(
                entries, in: list, made: request.made, taken: appended?.previous.advanced(by: 1), isBack: isBack)
        }
        if isBack, let appended, let sending {
            closing += receiving(entries, of: request, appended, token: sending.token(list.id, appended))
        }
        let changed = HostedChangeResult(
            list: list.id, entry: entries.first?.id, item: item,
            waiting: look.waiting + (appended == nil ? entries.count : 0), appended: appended)
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
            shown = try await fold(list, size: size)
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

    /// Appends entries to the list's journal, if they are the next ones in the upload queue and nothing prevents it.
    private func append(
        _ entries: [JournalEntry], of request: HostedRequest, _ look: HostedLook, _ sending: HostedSending?
    ) async throws -> Appended? {
        guard let sending, !entries.isEmpty, look.list.isPublished, look.waitingInList == 0, !look.mustWait else {
            return nil
        }
        let upload = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 0) })
        return try await connection.appendBatch([
            PendingUpload(
                try UploadBody(upload, limits: sending.limits), to: request.list,
                by: Session(account: request.account, device: device), ageCap: sending.limits.ageCap,
                quotas: sending.quotas)
        ])[0]
    }

    /// The statements that store just-accepted entries as a fetch would. These are the only new changes.
    private func receiving(
        _ entries: [JournalEntry], of request: HostedRequest, _ appended: Appended, token: String
    ) -> [Query] {
        guard let received = appended.mark else { return [] }
        let confirmed = entries.enumerated().map { index, entry in
            ConfirmedEntry(
                entry: entry, sequence: appended.previous.advanced(by: index + 1), author: request.account,
                device: device, madeAt: received, receivedAt: received)
        }
        return [
            putting(confirmed, in: request.list, applied: confirmed.map { _ in true }),
            .execute(HostedQueueSQL.passOwn, [device, request.list, token, appended.head]),
            Self.forgettingRetired(of: device, at: request.made.wall),
        ]
    }
}

extension HostedListRow {
    /// Whether the device has all changes up to ``through``, according to its token.
    fileprivate var isUpToDate: Bool { token != nil && !staging }
}
