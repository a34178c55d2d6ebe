import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Connection {
    /// Appends one upload in a transaction that began with its `readsToAppend`.
    /// - Parameter answers: the rows of `readsToAppend`.
    /// - Returns: the answer, and the commands to send with COMMIT.
    /// - Throws: `StoreError.notOnList`, `.gone`, `.readOnly`, `.overtaken`; the database's error when the lock times out.
    func appendSingle(
        _ upload: PendingUpload, _ answers: [Rows]
    ) async throws -> (answer: Appended, closing: [Query]) {
        let list = upload.list
        let people = try ListPeople(answers[2])
        guard let row = answers[1].first, let member = people[upload.session.account] else {
            throw try await membershipError(of: upload.session.account, from: list)
        }
        guard member.permission == .readWrite else { throw StoreError.readOnly }
        let locked = try LockedList(list, row: row)
        let (count, bytes, owner) = try answers[6][0].decode((Int64, Int64, AccountID).self)
        let bytesOfAccount = upload.crossesAccountCheck(from: bytes) ? try await bytesOfLists(of: owner) : nil
        var evaluation = upload.evaluation(
            in: locked, as: member.role, taken: try answers[3].map { try ConfirmedEntry(row: $0) },
            count: count, bytes: bytes, bytesOfAccount: bytesOfAccount)
        try await note(try answers[4].map(UploadEvaluation.Place.init(row:)), of: list, in: &evaluation)
        if answers.count > 7 { evaluation.note(try KnownMessages(answers[7...])) }
        evaluation.evaluate(upload)
        if upload.upload.validateOnly || evaluation.fresh.isEmpty {
            return (Appended(evaluation.results, AppendPlan([], in: locked), people), [])
        }
        if let head = upload.plannedAt {
            let numbers = evaluation.fresh.map(\.entry.deviceSequence)
            let taken = try await execute(AppendSQL.numbersTaken, [list, head, upload.session.device, numbers.min()])
            guard taken.isEmpty else { throw StoreError.overtaken }
        }
        // Reads the Activity only when an entry names an item that compression has removed.
        let purged = Set(try answers[5].map { try $0.decode(ItemID.self, at: 0) })
        let isResolving = evaluation.fresh.contains {
            AppendResolver.isNeeded(for: $0.entry, isPurged: purged.contains)
        }
        let (resolver, retained) = isResolving ? try await resolver(of: list, for: evaluation.fresh) : (nil, nil)
        let plan = AppendPlan(evaluation.fresh, in: locked, resolver: resolver, retainedFrom: retained)
        // There are few such entries, but each may belong to any month.
        if !plan.relocated.isEmpty { try await ensureMonths(of: plan.restored.map(\.receivedAt)) }
        let more = evaluation.countOfMessages
        evaluation.setSequences(of: plan.entries.map(\.sent))
        let closing = plan.queries + (more == 0 ? [] : [.execute(MessageSQL.count, [list, Int64(more)])])
        return (Appended(evaluation.results, plan, people), closing)
    }

    private func bytesOfLists(of owner: AccountID) async throws -> Int64 {
        try await execute(AppendSQL.bytesOfOwner, [owner])[0].decode(at: 0)
    }

    /// Tells `evaluation` which ids archived entries have. Reads those entries only if there are any, which is rare.
    private func note(_ places: [UploadEvaluation.Place], of list: ListID, in evaluation: inout UploadEvaluation)
        async throws
    {
        guard let first = places.map(\.receivedAt).min(), let last = places.map(\.receivedAt).max() else { return }
        // Times are read in whole milliseconds but stored with a finer resolution.
        let rows = try await execute(
            ArchiveSQL.entries, [list, places.map(\.sequence), first, last.advanced(byMilliseconds: 1)])
        evaluation.note(try rows.map { try ConfirmedEntry(row: $0) }, archivedAt: places)
    }

    /// - Returns: the resolver for items that compression removed, and the start of the Activity's retention.
    private func resolver(
        of list: ListID, for entries: [ConfirmedEntry]
    ) async throws -> (AppendResolver?, retainedFrom: Timestamp?) {
        let (retained, isPartial) = try await execute(ArchiveSQL.retained, [list])[0].decode((Timestamp?, Bool).self)
        let answers = try await pipeline([
            .execute(EntrySQL.activityOfList, [list, isPartial]), .execute(EntrySQL.ofList, [list]),
        ])
        let resolver = AppendResolver(
            activity: try answers[0].map { try ConfirmedEntry(row: $0) },
            live: try answers[1].map { try ConfirmedEntry(row: $0) }, resolving: entries.map(\.entry))
        return (resolver, retained)
    }
}

extension PendingUpload {
    /// The queries whose rows `appendSingle` needs. They take the list's lock, and wait for it if necessary.
    /// - Parameter lockWait: a statement that limits the wait.
    func readsToAppend(_ lockWait: Statement) -> [Query] {
        let messages = Set(namedMessages).sorted()
        let ofMessages: [Query] = [
            .execute(MessageSQL.named, [list, messages, messages.map(\.description)]),
            .execute(ArchiveSQL.byID, [list, messages]),
            .execute(MessageSQL.isRecovering),
            .execute(MessageSQL.reactions, [list, messages.map(\.description), session.account]),
        ]
        return [
            .execute(lockWait),
            .execute(ListSQL.lock, [list, session.account]),
            .execute(AppendSQL.members, [list]),
            .execute(AppendSQL.existing, [list, ids]),
            .execute(ArchiveSQL.byID, [list, ids]),
            .execute(AppendSQL.purgedItems, [list, namedItems]),
            .execute(AppendSQL.size, [list]),
        ] + (messages.isEmpty ? [] : ofMessages)
    }
}

extension KnownMessages {
    /// What the list knows of messages that entries are, or are about.
    /// - Parameter answers: the rows of the last four of `readsToAppend`.
    fileprivate init(_ answers: ArraySlice<Rows>) throws {
        self.init()
        let answers = Array(answers)
        for row in answers[0] { note(try ConfirmedEntry(row: row)) }
        for row in answers[1] { note(archived: try UploadEvaluation.Place(row: row).entry) }
        isRecovering = try answers[2][0].decode(at: 0)
        for row in answers[3] {
            let (text, count) = try row.decode((String, Int64).self)
            if let message = EntryID(text) { note(reactions: Int(count), to: message) }
        }
    }
}

extension Appended {
    fileprivate init(_ results: [UploadResult], _ plan: AppendPlan, _ people: ListPeople) {
        self.init(
            results: results, previous: plan.list.head, head: plan.head,
            mark: plan.entries.isEmpty ? nil : plan.list.now, epoch: plan.list.epoch,
            people: plan.entries.isEmpty ? [] : people.accounts)
    }
}

/// The people on a list, read under its lock.
private struct ListPeople {
    private var members: [AccountID: (role: Role, permission: Permission)] = [:]

    init(_ rows: Rows) throws(PostgresError) {
        for row in rows {
            let (account, role, permission) = try row.decode((AccountID, Role, Permission).self)
            members[account] = (role, permission)
        }
    }

    var accounts: Set<AccountID> { Set(members.keys) }

    subscript(account: AccountID) -> (role: Role, permission: Permission)? { members[account] }
}
