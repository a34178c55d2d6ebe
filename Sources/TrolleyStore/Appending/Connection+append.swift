import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Connection {
    /// Appends what can be appended at once, in one transaction of two round trips. The uploads are to different lists.
    /// - Returns: for each upload what became of it; nil for one that must go alone, because its list is held, the account
    ///   isn't on it, or it names what compression took away. Nothing of it is stored then.
    /// - Throws: what the database says; then nothing is stored of any.
    func appendTogether(_ uploads: [PendingUpload]) async throws -> [Result<Appended, StoreError>?] {
        do {
            let (lists, accounts) = (uploads.map(\.list), uploads.map(\.session.account))
            let answers = try await pipeline([
                .begin,
                .execute(AppendSQL.lock, [lists, accounts]),
                .execute(AppendSQL.members, [lists]),
                .execute(AppendSQL.taken, [uploads.flatMap(\.ids)]),
                .execute(ArchiveSQL.byID, [uploads.flatMap(\.ids)]),
                .execute(AppendSQL.purgedItems, uploads.namedItems),
                .execute(AppendSQL.count, [lists, uploads.first?.quota.map { Int64($0) }]),
            ])
            let locks = try [ListID: Row](locks: answers[1])
            let people = try ListPeople(answers[2])
            let taken = try TakenIDs(answers[3])
            let purged = try PurgedItems(answers[5])
            let counts = try [ListID: Int64](counts: answers[6])
            // Ids that need a second look: those of archived entries, and those of the uploads before. One that stands in two
            // of them would be taken as new in both, and the second must see the first.
            var ids = Set(try answers[4].map { try ArchivedID(row: $0).place.entry })

            var outcomes: [Result<Appended, StoreError>?] = []
            var plans: [AppendPlan] = []
            for upload in uploads {
                guard let row = locks[upload.list], let member = people[upload.list][upload.session.account],
                    ids.isDisjoint(with: upload.ids)
                else {
                    outcomes.append(nil)
                    continue
                }
                let list = try LockedList(
                    upload.list, row: row, from: 1, role: member.role, permission: member.permission)
                guard list.permission == .readWrite else {
                    outcomes.append(.failure(.readOnly))
                    continue
                }
                ids.formUnion(upload.ids)
                var verdicts = upload.verdicts(in: list, taken: taken[upload.ids], count: counts[upload.list])
                verdicts.judge(upload.upload)
                if purged.concern(verdicts.fresh, in: upload.list) {
                    outcomes.append(nil)
                    continue
                }
                let plan = AppendPlan(upload.upload.validateOnly ? [] : verdicts.fresh, in: list)
                if !plan.entries.isEmpty { plans.append(plan) }
                outcomes.append(.success(Appended(verdicts.results, plan, people)))
            }
            _ = try await pipeline((plans.isEmpty ? [] : plans.queries) + [.commit])
            return outcomes
        } catch {
            _ = try? await execute(.rollback)
            throw error
        }
    }

    /// Appends one upload in the transaction that runs, and waits for its list's lock if it must.
    /// - Throws: `StoreError.notOnList`, `.gone`, `.readOnly`; what the database says, when the lock is not to be had soon.
    func append(_ upload: PendingUpload) async throws -> Appended {
        let list = upload.list
        let answers = try await pipeline([
            .execute(ListSQL.limitLockWait),
            .execute(ListSQL.lock, [list, upload.session.account]),
            .execute(AppendSQL.members, [[list]]),
            .execute(AppendSQL.taken, [upload.ids]),
            .execute(ArchiveSQL.byID, [upload.ids]),
            .execute(AppendSQL.purgedItems, [upload].namedItems),
            .execute(AppendSQL.count, [[list], upload.quota.map { Int64($0) }]),
        ])
        let people = try ListPeople(answers[2])
        guard let row = answers[1].first, let member = people[list][upload.session.account] else {
            throw try await absence(of: upload.session.account, from: list)
        }
        let locked = try LockedList(list, row: row, role: member.role, permission: member.permission)
        guard locked.permission == .readWrite else { throw StoreError.readOnly }
        var verdicts = upload.verdicts(
            in: locked, taken: try TakenIDs(answers[3])[upload.ids],
            count: try [ListID: Int64](counts: answers[6])[list])
        try await note(try answers[4].map(ArchivedID.init(row:)), of: list, in: &verdicts)
        verdicts.judge(upload.upload)
        if upload.upload.validateOnly || verdicts.fresh.isEmpty {
            return Appended(verdicts.results, AppendPlan([], in: locked), people)
        }
        // The Activity is read only when an entry names an item that compression took away.
        let isResolving = try PurgedItems(answers[5]).concern(verdicts.fresh, in: list)
        let plan = AppendPlan(
            verdicts.fresh, in: locked, resolver: isResolving ? try await resolver(of: list) : nil)
        // Few, and each may be of any month.
        if !plan.lifted.isEmpty { try await ensureMonths(of: plan.returning.map(\.receivedAt)) }
        _ = try await pipeline([plan].queries)
        verdicts.settle(plan.entries.map(\.sent))
        return Appended(verdicts.results, plan, people)
    }

    /// Takes note of ids that are taken by archived entries; reads those entries only then, which is rare.
    private func note(_ ids: [ArchivedID], of list: ListID, in verdicts: inout Verdicts) async throws {
        for id in ids where id.list != list { verdicts.noteForeign(id.place.entry) }
        let places = ids.filter { $0.list == list }.map(\.place)
        guard let first = places.map(\.receivedAt).min(), let last = places.map(\.receivedAt).max() else { return }
        // A time is read in whole milliseconds, and stored in finer ones.
        let rows = try await execute(
            ArchiveSQL.entries, [list, places.map(\.sequence), first, last.advanced(byMilliseconds: 1)])
        verdicts.note(try rows.map { try ConfirmedEntry(row: $0) }, archivedAt: places)
    }

    private func resolver(of list: ListID) async throws -> AppendResolver {
        let retained = try await execute(ArchiveSQL.retained, [list])
        let isPartial = try retained[0].decode(Bool.self, at: 1)
        let answers = try await pipeline([
            .execute(EntrySQL.activityOfList, [list, isPartial]), .execute(EntrySQL.ofList, [list]),
        ])
        return AppendResolver(
            activity: try answers[0].map { try ConfirmedEntry(row: $0) },
            live: try answers[1].map { try ConfirmedEntry(row: $0) })
    }
}

extension Appended {
    fileprivate init(_ results: [UploadResult], _ plan: AppendPlan, _ people: ListPeople) {
        self.init(
            results: results, previous: plan.list.head, head: plan.head,
            mark: plan.entries.isEmpty ? nil : plan.list.now, epoch: plan.list.epoch,
            people: plan.entries.isEmpty ? [] : Set(people[plan.list.id].keys))
    }
}

extension [PendingUpload] {
    /// The binds of `AppendSQL.purgedItems`.
    fileprivate var namedItems: [any PostgresEncodable] {
        [flatMap { upload in upload.namedItems.map { _ in upload.list } }, flatMap(\.namedItems), map(\.list)]
    }
}

extension [ListID: Row] {
    /// The rows of `AppendSQL.lock`.
    fileprivate init(locks: Rows) throws(PostgresError) {
        self = [:]
        for row in locks { self[try row.decode(at: 0)] = row }
    }
}

/// Who is on lists, read under their locks.
private struct ListPeople {
    private var members: [ListID: [AccountID: (role: Role, permission: Permission)]] = [:]

    init(_ rows: Rows) throws(PostgresError) {
        for row in rows {
            let (list, account, role, permission) = try row.decode((ListID, AccountID, Role, Permission).self)
            members[list, default: [:]][account] = (role, permission)
        }
    }

    subscript(list: ListID) -> [AccountID: (role: Role, permission: Permission)] { members[list] ?? [:] }
}

extension [ListID: Int64] {
    /// - Parameter counts: of `AppendSQL.count`.
    fileprivate init(counts: Rows) throws(PostgresError) {
        self = [:]
        for row in counts {
            let (list, count) = try row.decode((ListID, Int64).self)
            self[list] = count
        }
    }
}

/// What is live under ids.
private struct TakenIDs {
    private var taken: [EntryID: [TakenID]] = [:]

    init(_ rows: Rows) throws(PostgresError) {
        for row in rows {
            let entry = try ConfirmedEntry(row: row)
            taken[entry.entry.id, default: []].append(
                TakenID(entry: entry, list: try row.decode(at: 14)))
        }
    }

    subscript(ids: [EntryID]) -> [TakenID] {
        taken.isEmpty ? [] : ids.flatMap { taken[$0] ?? [] }
    }
}

/// The items that compression took away, of those that uploads name.
private struct PurgedItems {
    private var items: [ListID: Set<ItemID>] = [:]

    init(_ rows: Rows) throws(PostgresError) {
        for row in rows {
            let (list, item) = try row.decode((ListID, ItemID).self)
            items[list, default: []].insert(item)
        }
    }

    /// Whether the Activity is needed to give these entries their places.
    func concern(_ entries: [ConfirmedEntry], in list: ListID) -> Bool {
        guard let purged = items[list] else { return false }
        return entries.contains { AppendResolver.isNeeded(for: $0.entry, isPurged: purged.contains) }
    }
}
