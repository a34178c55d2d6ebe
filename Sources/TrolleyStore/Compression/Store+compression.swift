package import TrolleyJournal
import TrolleyPostgres

/// The result of compressing one list, or its preview.
package struct CompressedList: Hashable, Sendable {
    package let list: ListID
    /// The number of live entries before.
    package var examined: Int
    package var discarded = 0
    /// The number of remaining entries that got a new anchor.
    package var anchored = 0
    /// Whether the compression was postponed because people kept changing the entries to discard.
    package var isPostponed = false
}

/// A page of the lists in which compression may find something.
package struct ListsToCompress: Sendable {
    package let lists: [ListID]
    /// The place of the next page; nil at the end.
    package let next: Place?

    package struct Place: Hashable, Sendable {
        let since: PostgresTimestamp
        let list: ListID
    }
}

extension Store {
    /// The number of entries that are discarded under one hold of a list's lock, unless one item has more.
    package static let discardsPerStep = 100

    /// The database's clock, from which cut-offs are computed.
    package func now() async throws(StoreError) -> Timestamp {
        try await one(CompressionSQL.clock) { row throws(PostgresError) in try row.decode(Timestamp.self, at: 0) }
    }

    /// Lists with entries received before `cutOff` that compression has not examined, longest waiting first.
    /// - Parameters:
    ///   - pause: leaves out lists that were compressed within this many milliseconds.
    ///   - place: the end of the previous page.
    package func listsToCompress(
        olderThan cutOff: Timestamp, pause: Int64 = 0, after place: ListsToCompress.Place? = nil, limit: Int = 10_000
    ) async throws(StoreError) -> ListsToCompress {
        let since = place?.since ?? PostgresTimestamp(microsecondsSince1970: 0)
        let latest = pause > 0 ? try await now().advanced(byMilliseconds: -pause) : Timestamp(milliseconds: .farFuture)
        let rows = try await all(
            CompressionSQL.eligible, [cutOff, since, place?.list ?? ListID(UUIDBits(high: 0, low: 0)), latest, limit]
        ) { row throws(PostgresError) in
            try row.decode((ListID, PostgresTimestamp).self)
        }
        let next = rows.count < limit ? nil : rows.last.map { ListsToCompress.Place(since: $0.1, list: $0.0) }
        return ListsToCompress(lists: rows.map(\.0), next: next)
    }

    /// Compresses a list's journal. Discarded entries stay in the Activity, their ids stay taken, and the list's stream
    /// tells devices. Safe to repeat, to run concurrently, and to kill.
    ///
    /// The compression is computed from a snapshot while others append. It is then applied in small steps, each in a
    /// transaction under the list's lock. After each step the list shows the same.
    /// - Parameter step: the number of entries to discard under one lock.
    /// - Returns: nil when the list doesn't exist (any more).
    package func compress(
        _ list: ListID, olderThan cutOff: Timestamp, dryRun: Bool = false, step: Int = discardsPerStep
    ) async throws(StoreError) -> CompressedList? {
        var report: CompressedList?
        // A concurrent change of the entries to discard invalidates the plan, which is then computed again.
        for _ in 0..<3 {
            guard let plan = try await planCompressions(of: [list], olderThan: cutOff, step: step).first else {
                return report
            }
            if report == nil { report = CompressedList(list: list, examined: plan.examined) }
            let (done, isComplete) = dryRun ? (plan.steps, true) : try await apply(plan)
            report?.discarded += done.discarded
            report?.anchored += done.anchored
            if isComplete { return report }
        }
        report?.isPostponed = true
        return report
    }

    /// Computes compressions without any lock.
    /// - Parameter most: the largest number of live entries of a list; nil: unlimited.
    /// - Returns: no plan for a list that doesn't exist (any more) or has more entries.
    func planCompressions(
        of lists: [ListID], olderThan cutOff: Timestamp, step: Int = discardsPerStep, most: Int? = nil
    ) async throws(StoreError) -> [CompressionPlan] {
        try await typed {
            let answers = try await pool.withConnection { connection in
                try await connection.pipeline([
                    .execute(CompressionSQL.heads, [lists]),
                    .execute(CompressionSQL.entries, [lists, most.map { Int64($0 + 1) }, lists.alone]),
                ])
            }
            // The connection has been returned by now. A list that doesn't exist (any more) has no head.
            var heads: [ListID: SequenceNumber] = [:]
            for row in answers[0] { heads[try row.decode(at: 0)] = try row.decode(SequenceNumber.self, at: 1) }
            let rows = answers[1]
            // Indexed by the list's number.
            var entries = [[ConfirmedEntry]](repeating: [], count: lists.count)
            try rows.withValues(of: CompressionSQL.entryTypes) { (values) throws(PostgresError) in
                for row in rows.indices {
                    guard let number = values.integer(row: row, column: 0) else { continue }
                    entries[Int(number) - 1].append(try ConfirmedEntry(effect: values, row: row, from: 1))
                }
            }
            let removed = try await removedMessages(
                zip(lists, entries).map { ($0, Compression.missingMessages(in: $1)) })
            return zip(lists, entries).compactMap { list, entries in
                guard let head = heads[list], entries.count <= most ?? .max else { return nil }
                return CompressionPlan(
                    list: list, head: head, cutOff: cutOff, step: step, entries: entries, removed: removed[list] ?? [])
            }
        }
    }

    /// The messages among missing ones that earlier compressions have removed. An id of the archive never becomes a
    /// message again.
    private func removedMessages(_ missing: [(list: ListID, messages: Set<EntryID>)]) async throws
        -> [ListID: Set<EntryID>]
    {
        // Rare: something about a message arrived after the message was removed.
        let missing = missing.filter { !$0.messages.isEmpty }
        if missing.isEmpty { return [:] }
        let answers = try await pool.withConnection { connection in
            try await connection.pipeline(missing.map { .execute(ArchiveSQL.byID, [$0.list, $0.messages.sorted()]) })
        }
        var removed: [ListID: Set<EntryID>] = [:]
        for (asked, rows) in zip(missing, answers) {
            removed[asked.list] = Set(try rows.map { try UploadEvaluation.Place(row: $0).entry })
        }
        return removed
    }

    /// Applies a plan step by step, as long as it holds.
    /// - Parameter between: runs after each step, without the list's lock.
    /// - Returns: the steps that were applied, and whether these were all.
    func apply(
        _ plan: CompressionPlan, between: (_ done: Int) async -> Void = { _ in }
    ) async throws(StoreError) -> (done: [Compression], isComplete: Bool) {
        if !plan.months.isEmpty { try await transaction { try await $0.ensureMonths(of: plan.months) } }
        var done: [Compression] = []
        var own: Set<SequenceNumber> = []
        for (index, step) in plan.steps.enumerated() {
            if Task.isCancelled { throw .unavailable(PostgresError(.cancelled, "compression was cancelled")) }
            let next = CompressionStep(plan: plan, index: index, own: own)
            switch try await typed({ try await pool.withConnection { try await $0.apply([next], together: false) } })[0]
            {
            case .applied(let sequence):
                if let sequence { own.insert(sequence) }
                done.append(step)
                await between(done.count)
            case .stale: return (done, false)
            case .absent: return (done, true)
            }
        }
        return (done, true)
    }
}

extension Int64 {
    /// The year 9999, which every clock and database can represent.
    fileprivate static var farFuture: Int64 { 253_402_300_799_000 }
}

extension [Compression] {
    /// The number of entries that these steps discard.
    var discarded: Int { reduce(0) { $0 + $1.discarded.count } }

    /// The number of remaining entries with another anchor after these steps. An entry may get several on the way.
    var anchored: Int {
        Set(lazy.flatMap(\.anchors).map(\.id)).subtracting(lazy.flatMap(\.discarded).map(\.id)).count
    }
}
