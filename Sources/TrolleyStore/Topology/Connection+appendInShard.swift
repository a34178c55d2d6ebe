import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Connection {
    /// Does the same as ``appendBatch(_:)`` for lists of one shard, in a transaction of two round trips: the first
    /// locks and checks, the second stores.
    /// - Parameters:
    ///   - known: the known state of some of the lists.
    ///   - isOnNode: whether this is a connection to the node that has the shard.
    /// - Returns: the result of each upload; nil for one that needs a separate check, of which nothing is stored.
    func appendInShard(
        _ uploads: [PendingUpload], known: [ListID: KnownLists.Known] = [:], isOnNode: Bool = false
    ) async throws -> [AppendedInShard?] {
        let plain = uploads.filter(\.isBatchable)
        let quick = plain.filter { known[$0.list] != nil }
        let others = plain.filter { known[$0.list] == nil }
        guard !quick.isEmpty || !others.isEmpty else { return uploads.map { _ in nil } }

        do {
            let fit = try await lockLists(of: quick, others, known)
            let fitting = plain.filter { fit.lists[$0.list] != nil }
            let insert = isOnNode ? AppendSQL.insertOnNode : AppendSQL.insertInShard
            _ = try await pipeline((fitting.isEmpty ? [] : [fit.insert(fitting, insert)] + fit.advances) + [.commit])
            return uploads.map { upload in
                fit.lists[upload.list].map { list, role, people in
                    AppendedInShard(appended: Appended(upload, to: list, people: people), role: role)
                }
            }
        } catch {
            _ = try? await execute(.rollback)
            throw error
        }
    }

    /// Begins the transaction and locks the lists that no other transaction holds.
    /// - Parameters:
    ///   - quick: uploads to known lists.
    ///   - others: all other uploads.
    private func lockLists(
        of quick: [PendingUpload], _ others: [PendingUpload], _ known: [ListID: KnownLists.Known]
    ) async throws -> AppendableLists {
        let looking = quick.queries
        var queries: [Query] = [.begin] + looking
        if !others.isEmpty { queries.append(.execute(AppendSQL.advanceInShard, others.bindsToAdvance)) }
        let answers = try await pipeline(queries)

        var fit = others.isEmpty ? AppendableLists() : try AppendableLists(answers[answers.count - 1])
        guard !quick.isEmpty else { return fit }
        let looked = Array(answers[1...looking.count])
        let (locked, archived) = (try quick.locked(looked), try quick.archived(looked[looking.count - 1]))
        var changed: [PendingUpload] = []
        for upload in quick {
            // Another transaction holds the list.
            guard let state = locked[upload.list] else { continue }
            guard let known = known[upload.list], known.epoch == state.epoch, !archived.contains(upload.list),
                let role = known.writers[upload.session.account], let list = upload.fits(state, known)
            else {
                changed.append(upload)
                continue
            }
            fit.add(list, as: role, people: known.people)
            fit.unmoved.append((list, upload))
        }
        // These lists have changed since, perhaps by another process.
        if !changed.isEmpty { try fit.add(try await execute(AppendSQL.advanceInShard, changed.bindsToAdvance)) }
        return fit
    }
}

extension PendingUpload {
    /// The list, if it is where it was left and has room for the upload.
    fileprivate func fits(_ state: ListRow, _ known: KnownLists.Known) -> LockedList? {
        let (head, entries, bytes, now, _) = state
        let more = size
        guard head == known.head,
            quotas.entriesPerList.map({ entries + Int64(ids.count) <= Int64($0) }) ?? true,
            more == 0
                || (quotas.bytesPerList.map { bytes + more <= Int64($0) } ?? true) && !crossesAccountCheck(from: bytes)
        else { return nil }
        return LockedList(id: list, head: head, epoch: known.epoch, now: now)
    }
}

/// A list's head, its live entries, its bytes, the time, and the database's epoch, read under its lock.
private typealias ListRow = (head: SequenceNumber, entries: Int64, bytes: Int64, now: Timestamp, epoch: UUIDBits)

// The first statements for known lists, whether one list or several.
extension [PendingUpload] {
    fileprivate var queries: [Query] {
        if isEmpty { return [] }
        if count == 1 {
            return [
                .execute(ActivitySQL.epoch), .execute(AppendSQL.lockFree, [self[0].list]),
                .execute(AppendSQL.archivedOf, [self[0].list, self[0].ids, self[0].namedItems]),
            ]
        }
        let lists = map(\.list)
        return [
            .execute(AppendSQL.lockFreeOfMany, [lists]),
            .execute(AppendSQL.archivedOfMany, [lists, flatMap(\.ids), flatMap(\.namedItems)]),
        ]
    }

    /// The lists that were locked.
    /// - Parameter answers: to ``queries``.
    fileprivate func locked(_ answers: [Rows]) throws(PostgresError) -> [ListID: ListRow] {
        var locked: [ListID: ListRow] = [:]
        if count == 1, let list = first?.list {
            let epoch = try answers[0][0].decode(PostgresUUID.self, at: 0)
            for row in answers[1] {
                let (head, entries, bytes, now) = try row.decode((SequenceNumber, Int64, Int64, Timestamp).self)
                locked[list] = (head, entries, bytes, now, UUIDBits(high: epoch.high, low: epoch.low))
            }
            return locked
        }
        for row in answers[0] {
            let (list, head, entries, bytes, now, epoch) = try row.decode(
                (ListID, SequenceNumber, Int64, Int64, Timestamp, PostgresUUID).self)
            locked[list] = (head, entries, bytes, now, UUIDBits(high: epoch.high, low: epoch.low))
        }
        return locked
    }

    /// The lists of which compression has archived something that the uploads name.
    fileprivate func archived(_ rows: Rows) throws(PostgresError) -> Set<ListID> {
        if count == 1, let list = first?.list { return rows.isEmpty ? [] : [list] }
        var archived: Set<ListID> = []
        for row in rows { archived.insert(try row.decode(ListID.self, at: 0)) }
        return archived
    }
}

/// The lists whose uploads could be appended at once, by `AppendSQL.batch` and `advanceInShard`.
struct AppendableLists {
    /// With the role of the account that uploads, and the accounts on the list.
    private(set) var lists: [ListID: (list: LockedList, role: Role, people: Set<AccountID>)] = [:]
    /// The lists whose heads are not advanced yet.
    fileprivate var unmoved: [(list: LockedList, upload: PendingUpload)] = []

    init() {}

    init(_ rows: Rows) throws(PostgresError) { try add(rows) }

    mutating func add(_ rows: Rows) throws(PostgresError) {
        for row in rows {
            let id = try row.decode(ListID.self, at: 0)
            let list = try LockedList(id, row: row, from: 1)
            add(list, as: try row.decode(at: 4), people: Set(try row.decode([AccountID].self, at: 6)))
        }
    }

    mutating func add(_ list: LockedList, as role: Role, people: Set<AccountID>) {
        lists[list.id] = (list, role, people)
    }

    /// Statements that advance the heads of the lists that are not advanced yet.
    fileprivate var advances: [Query] {
        let heads = unmoved.map { $0.list.head.advanced(by: $0.upload.ids.count) }
        let bytes = unmoved.map(\.upload.size)
        let entries = unmoved.map { Int64($0.upload.ids.count) }
        if unmoved.isEmpty { return [] }
        if unmoved.count == 1 {
            return [
                .execute(
                    AppendSQL.advance, [unmoved[0].list.id, heads[0], unmoved[0].list.now, bytes[0], entries[0]])
            ]
        }
        return [
            .execute(AppendSQL.advanceMany, [unmoved.map(\.list.id), heads, unmoved.map(\.list.now), bytes, entries])
        ]
    }

    /// The statement that stores the entries of the uploads.
    fileprivate func insert(_ uploads: [PendingUpload], _ statement: Statement) -> Query {
        let lists = uploads.compactMap { self.lists[$0.list]?.list }
        return .execute(
            statement,
            [
                lists.map(\.id), lists.map(\.head), lists.map(\.now), uploads.map(\.session.account),
                uploads.map(\.session.device),
            ] + uploads.bindsToInsert)
    }
}

extension Appended {
    /// An upload that was appended whole. The statement has checked the quotas, and that all ids are new.
    init(_ upload: PendingUpload, to list: LockedList, people: Set<AccountID>) {
        let results = upload.entries.enumerated().map { index, entry in
            UploadResult.accepted(
                entry.entry.id, at: list.head.advanced(by: index + 1),
                madeAt: list.madeAt(age: entry.age, cap: upload.ageCap), receivedAt: list.now, .applied)
        }
        self.init(
            results: results, previous: list.head, head: list.head.advanced(by: results.count), mark: list.now,
            epoch: list.epoch, people: people)
    }
}
