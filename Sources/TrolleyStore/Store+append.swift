public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// What became of an upload.
public struct Appended: Sendable {
    /// One an entry, in the order of the upload.
    public var results: [UploadResult]
    /// The list's newest change before.
    public var previous: SequenceNumber
    /// The list's newest change.
    public var head: SequenceNumber
    public var epoch: UUIDBits
    /// Who was on the list at that moment: nobody else is to hear of it.
    public var people: Set<AccountID>
}

extension Store {
    /// Appends what is new of an upload to a list's journal. Each entry gets its verdict; what is `applied` or
    /// `duplicate` is committed.
    /// - Parameter ageCap: milliseconds that an entry may be old at the most.
    /// - Throws: `.notOnList`, `.gone`, `.readOnly`; then nothing was appended.
    public func append(
        _ upload: UploadBody, to list: ListID, by session: Session, ageCap: Int64
    ) async throws(StoreError) -> Appended {
        let ids = upload.items.compactMap { item in if case .valid(let upload) = item { upload.entry.id } else { nil } }
        return try await transaction { connection in
            let named = upload.items.flatMap(\.namedItems)
            let answers = try await connection.pipeline([
                .execute(ListSQL.lock, [list, session.account]),
                .execute(MemberSQL.ofList, [list]),
                .execute(EntrySQL.byID, [ids]),
                .execute(EntrySQL.purgedItems, [list, named]),
            ])
            let people = try answers[1].map { try $0.decode((AccountID, Role, Permission).self) }
            guard let row = answers[0].first, let member = people.first(where: { $0.0 == session.account }) else {
                throw try await connection.absence(of: session.account, from: list)
            }
            let locked = try LockedList(list, row: row, role: member.1, permission: member.2)
            guard locked.permission == .readWrite else { throw StoreError.readOnly }

            var verdicts = Verdicts(list: locked, session: session, ageCap: ageCap)
            for row in answers[2] {
                verdicts.note(
                    try ConfirmedEntry(row: row), isInThisList: try row.decode(ListID.self, at: 14) == list,
                    isFirst: try row.decode(at: 15))
            }
            for item in upload.items { verdicts.judge(item) }
            if upload.atomic { verdicts.makeAllOrNothing() }
            if upload.validateOnly || verdicts.fresh.isEmpty {
                return Appended(
                    results: verdicts.results, previous: locked.head, head: locked.head, epoch: locked.epoch,
                    people: [])
            }

            let purged = Set(try answers[3].map { try $0.decode(ItemID.self, at: 0) })
            let plan = try await connection.plan(verdicts.fresh, in: locked, purged: purged)
            _ = try await connection.pipeline(plan.queries(list: locked, session: session))
            verdicts.settle(plan.entries.map(\.sent))
            return Appended(
                results: verdicts.results, previous: locked.head, head: plan.head, epoch: locked.epoch,
                people: Set(people.map(\.0)))
        }
    }
}

extension UploadBody.Item {
    /// The items that the entry names.
    fileprivate var namedItems: [ItemID] {
        guard case .valid(let upload) = self else { return [] }
        return [upload.entry.item, upload.entry.after].compactMap(\.self)
    }
}

extension Connection {
    /// Gives the entries their places; reads the Activity only when one of them names an item that compression took away.
    fileprivate func plan(
        _ entries: [ConfirmedEntry], in list: LockedList, purged: Set<ItemID>
    ) async throws -> AppendPlan {
        let needsActivity =
            !purged.isEmpty
            && entries.contains { AppendResolver.isNeeded(for: $0.entry, isPurged: purged.contains) }
        guard needsActivity else { return AppendPlan(entries, after: list.head) }
        let answers = try await pipeline([
            .execute(EntrySQL.activityOfList, [list.id]), .execute(EntrySQL.ofList, [list.id]),
        ])
        let resolver = AppendResolver(
            activity: try answers[0].map { try ConfirmedEntry(row: $0) },
            live: try answers[1].map { try ConfirmedEntry(row: $0) })
        return AppendPlan(entries, after: list.head, resolver: resolver)
    }
}
