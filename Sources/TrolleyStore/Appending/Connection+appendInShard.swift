import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Connection {
    /// Does what ``appendAtOnce(_:)`` does to lists of one shard, in a transaction of two round trips: locks and looks, then stores.
    /// - Parameter known: what is known of some of the lists.
    /// - Returns: for each upload what became of it; nil for one that needs a closer look. Nothing of it is stored then.
    func appendInShard(
        _ uploads: [PendingUpload], known: [ListID: KnownLists.Known] = [:]
    ) async throws -> [AppendedInShard?] {
        let plain = uploads.filter(\.isPlain)
        let quick = plain.filter { $0.isWithinEntries(after: known[$0.list]?.head) }
        let others = plain.filter { !$0.isWithinEntries(after: known[$0.list]?.head) }
        guard !quick.isEmpty || !others.isEmpty else { return uploads.map { _ in nil } }

        do {
            let fit = try await look(at: quick, others, known)
            let fitting = plain.filter { fit.lists[$0.list] != nil }
            _ = try await pipeline((fitting.isEmpty ? [] : [fit.insert(fitting)]) + fit.advances + [.commit])
            return uploads.map { upload in
                fit.lists[upload.list].map { list, people in
                    AppendedInShard(appended: Appended(upload, to: list, people: people), role: list.role)
                }
            }
        } catch {
            _ = try? await execute(.rollback)
            throw error
        }
    }

    /// Begins the transaction, and takes the locks of those lists that nobody else holds.
    /// - Parameters:
    ///   - quick: uploads to lists that are known.
    ///   - others: uploads to others.
    private func look(
        at quick: [PendingUpload], _ others: [PendingUpload], _ known: [ListID: KnownLists.Known]
    ) async throws -> FittingLists {
        var looks: [Query] = quick.flatMap { upload -> [Query] in
            [
                .execute(AppendSQL.lockFree, [upload.list]),
                .execute(AppendSQL.archivedOf, [upload.list, upload.ids, upload.namedItems]),
            ]
        }
        looks.append(.execute(ActivitySQL.epoch))
        if !others.isEmpty { looks.append(.execute(AppendSQL.advanceInShard, others.bindsToAdvance)) }
        let answers = Array(try await pipeline([.begin] + looks).dropFirst())

        let bits = try answers[2 * quick.count][0].decode(PostgresUUID.self, at: 0)
        let epoch = UUIDBits(high: bits.high, low: bits.low)
        var fit = others.isEmpty ? FittingLists() : try FittingLists(answers[2 * quick.count + 1])
        for (index, upload) in quick.enumerated() {
            guard let known = known[upload.list], known.epoch == epoch, answers[2 * index + 1].isEmpty,
                let row = answers[2 * index].first,
                let list = try upload.fits(row, known, as: known.writers[upload.session.account])
            else { continue }
            fit.add(list, people: known.people)
            fit.advances.append(
                .execute(
                    AppendSQL.advance,
                    [list.id, list.head.advanced(by: upload.ids.count), list.now, Int64(upload.sizes.reduce(0, +))]))
        }
        return fit
    }
}

extension PendingUpload {
    /// Whether a list of which this is the newest change has room for the entries, without counting those it has. False for nil.
    fileprivate func isWithinEntries(after head: SequenceNumber?) -> Bool {
        guard let head else { return false }
        return quotas.entriesPerList.map { head.rawValue + Int64(ids.count) <= Int64($0) } ?? true
    }

    /// The list, if it is where it was left and has room for the upload.
    /// - Parameter row: of `AppendSQL.lockFree`.
    fileprivate func fits(
        _ row: Row, _ known: KnownLists.Known, as role: Role?
    ) throws(PostgresError) -> LockedList? {
        let (head, bytes, now) = try row.decode((SequenceNumber, Int64, Timestamp).self)
        let more = Int64(sizes.reduce(0, +))
        guard let role, head == known.head,
            more == 0 || (quotas.bytesPerList.map { bytes + more <= Int64($0) } ?? true) && !isStep(from: bytes)
        else { return nil }
        return LockedList(
            id: list, head: head, epoch: known.epoch, now: now, role: role, permission: .readWrite)
    }
}

/// The lists whose uploads could be appended at once, by `AppendSQL.atOnce` and `advanceInShard`.
struct FittingLists {
    private(set) var lists: [ListID: (list: LockedList, people: Set<AccountID>)] = [:]
    /// What moves the heads of those that are not moved yet.
    var advances: [Query] = []

    init() {}

    init(_ rows: Rows) throws(PostgresError) {
        for row in rows {
            let id = try row.decode(ListID.self, at: 0)
            let list = try LockedList(id, row: row, from: 1, role: row.decode(at: 4), permission: row.decode(at: 5))
            add(list, people: Set(try row.decode([AccountID].self, at: 6)))
        }
    }

    mutating func add(_ list: LockedList, people: Set<AccountID>) { lists[list.id] = (list, people) }

    /// What stores the entries of uploads to them.
    func insert(_ uploads: [PendingUpload]) -> Query {
        let lists = uploads.compactMap { self.lists[$0.list]?.list }
        return .execute(
            AppendSQL.insertInShard,
            [
                lists.map(\.id), lists.map(\.head), lists.map(\.now), uploads.map(\.session.account),
                uploads.map(\.session.device),
            ] + uploads.bindsToInsert)
    }
}

extension Appended {
    /// An upload that was appended whole. The statement has seen that there is room.
    init(_ upload: PendingUpload, to list: LockedList, people: Set<AccountID>) {
        var verdicts = upload.verdicts(in: list, taken: [], count: 0, bytes: 0, bytesOfAccount: nil)
        verdicts.judge(upload)
        self.init(
            results: verdicts.results, previous: list.head, head: list.head.advanced(by: verdicts.fresh.count),
            mark: list.now, epoch: list.epoch, people: people)
    }
}
