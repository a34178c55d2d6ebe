public import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// Most lists that are to be compressed are short, and there are many of them: they share statements and commits.

extension Store {
    /// What is read and written together, at the most.
    private enum Together {
        static let lists = 100
        /// Live entries of a list; a longer one goes alone.
        static let entries = 500
        /// Under locks that are held at the same time, and what the last list has of them: some ten milliseconds.
        static let discards = 400
    }

    /// Compresses lists, each as ``compress(_:olderThan:dryRun:step:)`` does. A list that others hold, or that is long, or
    /// that somebody changes meanwhile, goes alone.
    /// - Parameters:
    ///   - parallel: lists, or bundles of short ones, at the same time.
    ///   - report: is told of each list, in any order (nil: there is no such list any more), and how long it took: of a
    ///     bundle its share.
    public func compress(
        _ lists: [ListID], olderThan cutOff: Timestamp, dryRun: Bool = false, parallel: Int = 1,
        report: (Result<CompressedList?, StoreError>, Duration) -> Void
    ) async {
        // Where lists are spread over nodes, no statement takes several.
        let isDistributed = (try? await topology.isDistributed()) ?? false
        let size = isDistributed ? 1 : Together.lists
        let bundles = stride(from: 0, to: lists.count, by: size).map { start in
            Array(lists[start..<min(start + size, lists.count)])
        }
        await withTaskGroup(of: [Compressed].self) { group in
            for (index, bundle) in bundles.enumerated() {
                if index >= parallel { for each in await group.next() ?? [] { report(each.result, each.took) } }
                if Task.isCancelled { break }
                group.addTask {
                    await self.compress(
                        bundle: bundle, olderThan: cutOff, dryRun: dryRun, together: !isDistributed)
                }
            }
            for await bundle in group { for each in bundle { report(each.result, each.took) } }
        }
    }

    private struct Compressed {
        let result: Result<CompressedList?, StoreError>
        let took: Duration
    }

    private func compress(
        bundle: [ListID], olderThan cutOff: Timestamp, dryRun: Bool, together: Bool
    ) async -> [Compressed] {
        var began = ContinuousClock.now
        var done: [CompressionPlan] = []
        do throws(StoreError) {
            let plans = together ? try await planCompressions(of: bundle, olderThan: cutOff) : []
            if dryRun { done = plans } else { try await apply(together: plans, &done) }
        } catch {
            // Together it can't be done: each gets its own verdict.
        }
        let share = (ContinuousClock.now - began) / max(1, done.count)
        var compressed = done.map { Compressed(result: .success($0.report), took: share) }
        let finished = Set(done.lazy.map(\.list))
        for list in bundle where !finished.contains(list) && !Task.isCancelled {
            began = .now
            let result: Result<CompressedList?, StoreError>
            do throws(StoreError) {
                result = .success(try await compress(list, olderThan: cutOff, dryRun: dryRun))
            } catch { result = .failure(error) }
            compressed.append(Compressed(result: result, took: .now - began))
        }
        return compressed
    }

    /// Works out what may go, without any lock.
    /// - Returns: no plan for a list that must go alone.
    private func planCompressions(
        of lists: [ListID], olderThan cutOff: Timestamp
    ) async throws(StoreError) -> [CompressionPlan] {
        try await typed {
            let answers = try await pool.withConnection { connection in
                try await connection.pipeline([
                    .execute(CompressionSQL.headsOfMany, [lists]),
                    .execute(CompressionSQL.entriesOfMany, [lists, Together.entries + 1]),
                ])
            }
            // A list that is not there (any more) has none.
            var heads: [ListID: SequenceNumber] = [:]
            for row in answers[0] { heads[try row.decode(at: 0)] = try row.decode(SequenceNumber.self, at: 1) }
            let rows = answers[1]
            // By the list's number.
            var entries = [[ConfirmedEntry]](repeating: [], count: lists.count)
            try rows.withValues(of: CompressionSQL.typesOfMany) { (values) throws(PostgresError) in
                for row in rows.indices {
                    guard let number = values.integer(row: row, column: 0) else { continue }
                    entries[Int(number) - 1].append(try ConfirmedEntry(effect: values, row: row, from: 1))
                }
            }
            return zip(lists, entries).compactMap { list, entries in
                guard let head = heads[list], entries.count <= Together.entries else { return nil }
                let plan = CompressionPlan(
                    list: list, head: head, cutOff: cutOff, step: Self.discardsPerStep, entries: entries)
                return plan.steps.count == 1 ? plan : nil
            }
        }
    }

    /// Applies plans of one step each.
    /// - Parameter done: the plans that were applied, also when this throws; the lists of the others are held, or were changed
    ///   since.
    private func apply(together plans: [CompressionPlan], _ done: inout [CompressionPlan]) async throws(StoreError) {
        let months = Set(plans.lazy.flatMap(\.months))
        if !months.isEmpty { try await transaction { try await $0.ensureMonths(of: months) } }
        var waiting = plans[...]
        while !waiting.isEmpty, !Task.isCancelled {
            var next: [CompressionPlan] = []
            var discards = 0
            while discards < Together.discards, let plan = waiting.popFirst() {
                next.append(plan)
                discards += plan.steps[0].discarded.count
            }
            done += try await typed { try await pool.withConnection { try await $0.apply(together: next) } }
        }
    }
}

extension CompressionPlan {
    /// What has been done when all of it is applied.
    fileprivate var report: CompressedList {
        CompressedList(
            list: list, examined: examined, discarded: steps.reduce(0) { $0 + $1.discarded.count },
            anchored: steps.reduce(0) { $0 + $1.anchors.count })
    }
}

extension Connection {
    /// One transaction of two round trips under the locks of those lists that nobody else holds.
    /// - Returns: the plans that held, and are applied.
    fileprivate func apply(together plans: [CompressionPlan]) async throws -> [CompressionPlan] {
        do {
            let lists = plans.map(\.list)
            let answers = try await pipeline([
                .begin, .execute(CompressionSQL.planAnew), .execute(CompressionSQL.lock, [lists]),
                .execute(CompressionSQL.sinceOfMany, [lists, plans.map(\.head)]),
            ])
            var heads: [ListID: SequenceNumber] = [:]
            for row in answers[2] { heads[try row.decode(at: 0)] = try row.decode(SequenceNumber.self, at: 1) }
            var since: [ListID: ChangesSince] = [:]
            for row in answers[3] { try since[row.decode(at: 0), default: ChangesSince()].add(row, from: 1) }

            var changes: [(plan: CompressionPlan, change: Change?, next: Timestamp?)] = []
            for plan in plans {
                guard let head = heads[plan.list] else { continue }
                let since = since[plan.list] ?? ChangesSince()
                guard since.leaves(plan) else { continue }
                let step = plan.steps[0]
                let change = step.isEmpty ? nil : Change(sequence: head.advanced(by: 1), body: step.change)
                changes.append((plan, change, [plan.nextReceived, since.first].compactMap(\.self).min()))
            }
            let discards = changes.flatMap { change in
                change.plan.steps[0].discarded.map { (change.plan.list, change.plan.places[$0.id] ?? .start) }
            }
            let anchors = changes.flatMap { change in change.plan.steps[0].anchors.map { (change.plan.list, $0) } }
            let events = changes.compactMap { change in change.change.map { (change.plan.list, $0) } }
            var queries: [Query] = []
            if !discards.isEmpty {
                queries.append(.execute(ArchiveSQL.archive, [discards.map(\.0), discards.map(\.1)]))
            }
            if !anchors.isEmpty {
                queries.append(
                    .execute(
                        CompressionSQL.reanchor, [anchors.map(\.0), anchors.map(\.1.id), anchors.map(\.1.after)]))
            }
            if !events.isEmpty {
                queries.append(
                    .execute(
                        CompressionSQL.tell, [events.map(\.0), events.map(\.1.sequence), events.map(\.1.column)]))
            }
            queries += [
                .execute(
                    CompressionSQL.recordMany,
                    [
                        changes.map(\.plan.list), changes.map { $0.change?.sequence }, changes.map(\.plan.cutOff),
                        changes.map(\.next),
                    ]), .commit,
            ]
            _ = try await pipeline(queries)
            return changes.map(\.plan)
        } catch {
            _ = try? await execute(.rollback)
            throw error
        }
    }
}
