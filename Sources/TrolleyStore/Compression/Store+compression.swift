public import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// What compressing one list did, or would do.
public struct CompressedList: Hashable, Sendable {
    public let list: ListID
    /// Live entries before.
    public var examined: Int
    public var discarded = 0
    /// Entries that stayed and got a new anchor.
    public var anchored = 0
    /// Whether it is for another time, because people went on changing just what was to go.
    public var isPostponed = false
}

/// Some of the lists in which compression may find something.
public struct ListsToCompress: Sendable {
    public let lists: [ListID]
    /// Where the next of them are; nil when these are the last.
    public let next: Place?

    public struct Place: Hashable, Sendable {
        let since: PostgresTimestamp
        let list: ListID
    }
}

extension Store {
    /// Entries that are discarded under one hold of a list's lock, unless one item has more.
    public static let discardsPerStep = 100

    /// The database's clock: what cut-offs are reckoned from.
    public func now() async throws(StoreError) -> Timestamp {
        try await one(CompressionSQL.clock) { row throws(PostgresError) in try row.decode(Timestamp.self, at: 0) }
    }

    /// Lists with entries received before `cutOff` that compression has not looked at, longest waiting first.
    /// - Parameters:
    ///   - pause: leaves out lists that were compressed in the last so many milliseconds.
    ///   - place: where the lists before these ended.
    public func listsToCompress(
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

    /// Takes out of a list's journal what no longer matters. What goes stays part of the Activity, its ids stay taken, and
    /// the list's stream tells devices. Safe to run twice, at once, or killed.
    ///
    /// What goes is worked out from a snapshot, while others go on appending. Then it is applied in small steps, each all
    /// or nothing under the list's lock, after each of which the list shows the same.
    /// - Parameter step: entries to discard under one lock.
    /// - Returns: nil when there is no such list (any more).
    public func compress(
        _ list: ListID, olderThan cutOff: Timestamp, dryRun: Bool = false, step: Int = discardsPerStep
    ) async throws(StoreError) -> CompressedList? {
        var report: CompressedList?
        // Somebody who just now changes what was to go makes it wrong: then it is worked out afresh.
        for _ in 0..<3 {
            guard let plan = try await planCompression(of: list, olderThan: cutOff, step: step) else { return report }
            if report == nil { report = CompressedList(list: list, examined: plan.examined) }
            if dryRun {
                report?.discarded = plan.steps.discarded
                report?.anchored = plan.steps.anchored
                return report
            }
            let (done, isComplete) = try await apply(plan)
            report?.discarded += done.discarded
            report?.anchored += done.anchored
            if isComplete { return report }
        }
        report?.isPostponed = true
        return report
    }

    /// Works out what may go, from one snapshot and without any lock.
    /// - Returns: nil when there is no such list.
    func planCompression(
        of list: ListID, olderThan cutOff: Timestamp, step: Int
    ) async throws(StoreError) -> CompressionPlan? {
        let (head, rows) = try await snapshot { connection in
            let answers = try await connection.pipeline([
                .execute(CompressionSQL.head, [list]), .execute(EntrySQL.ofList, [list]),
            ])
            return (try answers[0].first.map { try $0.decode(SequenceNumber.self, at: 0) }, answers[1])
        }
        guard let head else { return nil }
        // Here the connection is somebody else's again.
        return try await typed {
            CompressionPlan(
                list: list, head: head, cutOff: cutOff, step: step,
                entries: try rows.map { try ConfirmedEntry(row: $0) })
        }
    }

    /// Applies a plan, step by step, as long as it is right.
    /// - Parameter between: is run after each step, without the list's lock.
    /// - Returns: the steps that were applied, and whether these were all.
    func apply(
        _ plan: CompressionPlan, between: (_ done: Int) async -> Void = { _ in }
    ) async throws(StoreError) -> (done: [Compression], isComplete: Bool) {
        if !plan.months.isEmpty { try await transaction { try await $0.ensureMonths(of: plan.months) } }
        var done: [Compression] = []
        var own: [SequenceNumber] = []
        for (index, step) in plan.steps.enumerated() {
            if Task.isCancelled { throw .unavailable(PostgresError(.cancelled, "compression was cancelled")) }
            let isLast = index == plan.steps.count - 1
            let outcome = try await transaction { connection in
                try await connection.execute(CompressionSQL.planAnew)
                return try await connection.apply(step, of: plan, own: own, isLast: isLast)
            }
            switch outcome {
            case .applied(let sequence):
                if let sequence { own.append(sequence) }
                done.append(step)
                await between(done.count)
            case .overtaken: return (done, false)
            case .gone: return (done, true)
            }
        }
        return (done, true)
    }
}

extension Int64 {
    /// The year 9999, which every clock and every database can say.
    fileprivate static var farFuture: Int64 { 253_402_300_799_000 }
}

extension [Compression] {
    /// Entries that these steps discard.
    fileprivate var discarded: Int { reduce(0) { $0 + $1.discarded.count } }

    /// Entries that stay after these steps, with another anchor. One may get several on the way.
    fileprivate var anchored: Int {
        Set(lazy.flatMap(\.anchors).map(\.id)).subtracting(lazy.flatMap(\.discarded).map(\.id)).count
    }
}

private enum StepOutcome {
    /// With the sequence of its change, if it took one.
    case applied(SequenceNumber?)
    /// Others have changed what the plan was worked out from.
    case overtaken
    /// The list was deleted.
    case gone
}

extension Connection {
    /// One step under the list's lock. Nothing is worked out here but whether the plan still holds, from what came since.
    fileprivate func apply(
        _ step: Compression, of plan: CompressionPlan, own: [SequenceNumber], isLast: Bool
    ) async throws -> StepOutcome {
        let answers = try await pipeline([
            .execute(ListSQL.lockUnasked, [plan.list]), .execute(CompressionSQL.since, [plan.list, plan.head, own]),
            .execute(PartitionSQL.activityFrom),
        ])
        guard let row = answers[0].first else { return .gone }
        let list = try LockedList(plan.list, row: row, role: .owner, permission: .readWrite)
        var since = ChangesSince()
        for row in answers[1] { try since.add(row, from: 0) }
        guard since.leaves(plan) else { return .overtaken }

        var queries: [Query] = []
        var sequence: SequenceNumber?
        if !step.isEmpty {
            let change = Change(sequence: list.head.advanced(by: 1), body: step.change)
            sequence = change.sequence
            let ids = step.discarded.map(\.id)
            if !ids.isEmpty {
                let retained = try answers[2][0].decode(Timestamp?.self, at: 0)
                queries += ArchiveSQL.archive(ids, of: list.id, retainedFrom: retained)
            }
            if !step.anchors.isEmpty {
                queries.append(
                    .execute(EntrySQL.reanchor, [list.id, step.anchors.map(\.id), step.anchors.map(\.after)]))
            }
            queries += [
                EventSQL.insert([change], into: list), .execute(ListSQL.advance, [list.id, change.sequence]),
            ]
        }
        if isLast {
            let next = [plan.nextReceived, since.first].compactMap(\.self).min()
            queries.append(.execute(CompressionSQL.record, [list.id, plan.cutOff, next]))
        }
        if !queries.isEmpty { _ = try await pipeline(queries) }
        return .applied(sequence)
    }
}

/// What has come into a list's stream since a compression of it was worked out.
struct ChangesSince {
    private var appended: [(item: ItemID?, after: ItemID?)] = []
    private var isDiscarded = false
    /// When the first of it was received.
    private(set) var first: Timestamp?

    /// - Parameter column: where the columns of ``CompressionSQL/since`` begin.
    mutating func add(_ row: Row, from column: Int) throws(PostgresError) {
        if try row.decode(Bool.self, at: column) {
            isDiscarded = true
            return
        }
        appended.append((try row.decode(at: column + 1), try row.decode(at: column + 2)))
        let receivedAt = try row.decode(Timestamp.self, at: column + 3)
        first = min(first ?? receivedAt, receivedAt)
    }

    /// Whether the plan may still be applied.
    func leaves(_ plan: CompressionPlan) -> Bool {
        !isDiscarded && Compression.holds(appended, finished: plan.finished)
    }
}
