import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// A step of a plan, ready to be applied.
struct CompressionStep: Sendable {
    let plan: CompressionPlan
    let index: Int
    /// The changes in the list's stream that earlier steps made.
    var own: Set<SequenceNumber> = []

    var compression: Compression { plan.steps[index] }
    var isLast: Bool { index == plan.steps.count - 1 }
}

enum StepOutcome {
    /// The sequence of the step's change, if it made one.
    case applied(SequenceNumber?)
    /// Somebody has changed what the plan was computed from.
    case stale
    /// The list was deleted, or another transaction holds it.
    case absent
}

extension Connection {
    /// Applies a step to each of several lists, in one transaction of two round trips under the lists' locks. It checks
    /// only whether each plan still holds after the changes since.
    /// - Parameter together: skips lists that other transactions hold, and fails if an entry is archived already. If
    ///   false, there must be one list: waits for its lock, and leaves archived entries as they are.
    /// - Returns: an outcome for each step.
    func apply(_ steps: [CompressionStep], together: Bool) async throws -> [StepOutcome] {
        do {
            let lists = steps.map(\.plan.list)
            let answers = try await pipeline([
                .begin, .execute(CompressionSQL.forceCustomPlan),
                .execute(together ? CompressionSQL.lock : CompressionSQL.lockAlone, [lists]),
                .execute(CompressionSQL.since, [lists, steps.map(\.plan.head), lists.alone]),
                .execute(PartitionSQL.activityFrom),
            ])
            var heads: [ListID: SequenceNumber] = [:]
            for row in answers[2] { heads[try row.decode(at: 0)] = try row.decode(SequenceNumber.self, at: 1) }
            var since: [ListID: ChangesSince] = [:]
            for row in answers[3] { try since[row.decode(at: 0), default: ChangesSince()].add(row) }
            let retained = try answers[4][0].decode(Timestamp?.self, at: 0)

            var applied = AppliedSteps()
            let outcomes = steps.map { step -> StepOutcome in
                guard let head = heads[step.plan.list] else { return .absent }
                let since = since[step.plan.list] ?? ChangesSince()
                guard since.isCompatible(with: step.plan, apart: step.own) else { return .stale }
                return .applied(applied.add(step, head: head, since: since))
            }
            _ = try await pipeline(applied.queries(together: together, retainedFrom: retained) + [.commit])
            return outcomes
        } catch {
            _ = try? await execute(.rollback)
            throw error
        }
    }
}

/// The effects of several steps on the database.
private struct AppliedSteps {
    private var steps: [(step: CompressionStep, change: Change?, next: Timestamp?)] = []

    /// - Returns: the sequence of the step's change, if it makes one.
    mutating func add(_ step: CompressionStep, head: SequenceNumber, since: ChangesSince) -> SequenceNumber? {
        let compression = step.compression
        let change = compression.isEmpty ? nil : Change(sequence: head.advanced(by: 1), body: compression.change)
        steps.append((step, change, .earliest(step.plan.nextReceived, since.first)))
        return change?.sequence
    }

    func queries(together: Bool, retainedFrom retained: Timestamp?) -> [Query] {
        if steps.isEmpty { return [] }
        let lists = steps.map(\.step.plan.list)
        let discards = steps.flatMap { each in
            each.step.compression.discarded.map { (list: each.step.plan.list, id: $0.id, plan: each.step.plan) }
        }
        let anchors = steps.flatMap { each in
            each.step.compression.anchors.map { (list: each.step.plan.list, id: $0.id, after: $0.after) }
        }
        let changes = steps.compactMap { each in each.change.map { (list: each.step.plan.list, change: $0) } }
        var queries: [Query] = []
        if !discards.isEmpty {
            if let list = lists.alone, !together {
                queries += ArchiveSQL.archive(discards.map(\.id), of: list, retainedFrom: retained)
            } else {
                let places = discards.map { $0.plan.places[$0.id] ?? .start }
                queries.append(.execute(ArchiveSQL.archive, [discards.map(\.list), places]))
            }
        }
        if !anchors.isEmpty {
            queries.append(
                .execute(
                    CompressionSQL.reanchor,
                    [anchors.map(\.list), anchors.map(\.id), anchors.map(\.after), lists.alone]))
        }
        if !changes.isEmpty { queries.append(EventSQL.insert(changes)) }
        for each in steps where !each.step.isLast {
            if let change = each.change {
                queries.append(.execute(ListSQL.advance, [each.step.plan.list, change.sequence]))
            }
        }
        let last = steps.filter(\.step.isLast)
        if !last.isEmpty {
            queries.append(
                .execute(
                    CompressionSQL.record,
                    [
                        last.map(\.step.plan.list), last.map { $0.change?.sequence }, last.map(\.step.plan.cutOff),
                        last.map(\.next), lists.alone,
                    ]))
        }
        return queries
    }
}

/// The changes in a list's stream since its compression was computed.
private struct ChangesSince {
    private var appended: [(item: ItemID?, after: ItemID?)] = []
    private var discards: Set<SequenceNumber> = []
    /// When the first of the entries was received.
    private(set) var first: Timestamp?

    /// - Parameter row: of ``CompressionSQL/since``.
    mutating func add(_ row: Row) throws(PostgresError) {
        if let discard = try row.decode(SequenceNumber?.self, at: 1) {
            discards.insert(discard)
            return
        }
        appended.append((try row.decode(at: 2), try row.decode(at: 3)))
        first = .earliest(first, try row.decode(Timestamp.self, at: 4))
    }

    /// Whether the plan may still be applied.
    /// - Parameter own: the changes of the plan's own steps.
    func isCompatible(with plan: CompressionPlan, apart own: Set<SequenceNumber>) -> Bool {
        discards.isSubset(of: own) && Compression.isStillValid(appended, finished: plan.finished)
    }
}
