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
    /// When that was received; nil when it was there before.
    public var mark: Timestamp?
    public var epoch: UUIDBits
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
                .execute(MemberSQL.of, [list, session.account]),
                .execute(EntrySQL.byID, [ids]),
                .execute(ArchiveSQL.byID, [ids]),
                .execute(ArchiveSQL.purgedItems, [list, named]),
            ])
            guard let locked = try LockedList(list, lock: answers[0], member: answers[1]) else {
                throw try await connection.absence(of: session.account, from: list)
            }
            guard locked.permission == .readWrite else { throw StoreError.readOnly }

            var verdicts = Verdicts(list: locked, session: session, ageCap: ageCap)
            for row in answers[2] {
                verdicts.note(
                    try ConfirmedEntry(row: row), isInThisList: try row.decode(ListID.self, at: 14) == list)
            }
            try await connection.note(try answers[3].map(ArchivedID.init(row:)), of: list, in: &verdicts)
            for item in upload.items { verdicts.judge(item) }
            if upload.atomic { verdicts.makeAllOrNothing() }
            if upload.validateOnly || verdicts.fresh.isEmpty {
                return Appended(
                    results: verdicts.results, previous: locked.head, head: locked.head, epoch: locked.epoch)
            }

            let purged = Set(try answers[4].map { try $0.decode(ItemID.self, at: 0) })
            let plan = try await connection.plan(verdicts.fresh, in: locked, purged: purged)
            if !plan.lifted.isEmpty {
                // Few, and each may be of any month.
                try await connection.ensureMonths(of: plan.returning.map(\.receivedAt))
            }
            _ = try await connection.pipeline(plan.queries(list: locked, session: session))
            verdicts.settle(plan.entries.map(\.sent))
            return Appended(
                results: verdicts.results, previous: locked.head, head: plan.head, mark: locked.now,
                epoch: locked.epoch)
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

/// An id that an archived entry has taken.
private struct ArchivedID {
    let list: ListID
    let place: Verdicts.Place

    init(row: Row) throws(PostgresError) {
        let (list, entry, sequence, madeAt, receivedAt) = try row.decode(
            (ListID, EntryID, SequenceNumber, Timestamp, Timestamp).self)
        self.list = list
        place = Verdicts.Place(entry: entry, sequence: sequence, madeAt: madeAt, receivedAt: receivedAt)
    }
}

extension Connection {
    /// Takes note of ids that are taken by archived entries; reads those entries only then, which is rare.
    fileprivate func note(_ ids: [ArchivedID], of list: ListID, in verdicts: inout Verdicts) async throws {
        for id in ids where id.list != list { verdicts.noteForeign(id.place.entry) }
        let places = ids.filter { $0.list == list }.map(\.place)
        guard let first = places.map(\.receivedAt).min(), let last = places.map(\.receivedAt).max() else { return }
        // A time is read in whole milliseconds, and stored in finer ones.
        let rows = try await execute(
            ArchiveSQL.entries, [list, places.map(\.sequence), first, last.advanced(byMilliseconds: 1)])
        let entries = try rows.map { try ConfirmedEntry(row: $0) }
        verdicts.note(entries, archivedAt: places)
    }

    /// Gives the entries their places; reads the Activity only when one of them names an item that compression took away.
    fileprivate func plan(
        _ entries: [ConfirmedEntry], in list: LockedList, purged: Set<ItemID>
    ) async throws -> AppendPlan {
        let needsActivity =
            !purged.isEmpty
            && entries.contains { AppendResolver.isNeeded(for: $0.entry, isPurged: purged.contains) }
        guard needsActivity else { return AppendPlan(entries, after: list.head) }
        let retained = try await execute(ArchiveSQL.retained, [list.id])
        let isPartial = try retained[0].decode(Bool.self, at: 1)
        let answers = try await pipeline([
            .execute(EntrySQL.activityOfList, [list.id, isPartial]), .execute(EntrySQL.ofList, [list.id]),
        ])
        let resolver = AppendResolver(
            activity: try answers[0].map { try ConfirmedEntry(row: $0) },
            live: try answers[1].map { try ConfirmedEntry(row: $0) })
        return AppendPlan(entries, after: list.head, resolver: resolver)
    }
}
