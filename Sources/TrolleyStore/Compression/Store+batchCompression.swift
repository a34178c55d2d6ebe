package import TrolleyJournal
import TrolleyPostgres

// Compression of many short lists, which share statements and commits.

extension Store {
    /// Limits on one bundle.
    private enum BatchCompressionLimits {
        static let lists = 100
        /// Live entries of a list; a longer list goes alone.
        static let entries = 500
        /// Entries that are discarded under locks held at the same time, not counting the last list: some ten
        /// milliseconds.
        static let discards = 400
    }

    /// Compresses lists, each as ``compress(_:olderThan:dryRun:step:)`` does. A list goes alone if another transaction
    /// holds it, if it is long, or if somebody changes it meanwhile.
    /// - Parameters:
    ///   - parallel: the number of lists, or of bundles of short lists, at the same time.
    ///   - report: called for each list, in any order (nil: the list doesn't exist any more), with the time that it
    ///     took; for a bundle, with its share of the time.
    package func compress(
        _ lists: [ListID], olderThan cutOff: Timestamp, dryRun: Bool = false, parallel: Int = 1,
        report: (Result<CompressedList?, StoreError>, Duration) -> Void
    ) async {
        // Where lists are on several nodes, no statement takes several lists.
        let isBatched = (try? await nodes()) == nil
        let size = isBatched ? BatchCompressionLimits.lists : 1
        let batches = stride(from: 0, to: lists.count, by: size).map { start in
            Array(lists[start..<min(start + size, lists.count)])
        }
        await withTaskGroup(of: [Compressed].self) { group in
            for (index, batch) in batches.enumerated() {
                if index >= parallel { for each in await group.next() ?? [] { report(each.result, each.took) } }
                if Task.isCancelled { break }
                group.addTask {
                    await self.compress(
                        batch: batch, olderThan: cutOff, dryRun: dryRun, isBatched: isBatched)
                }
            }
            for await batch in group { for each in batch { report(each.result, each.took) } }
        }
    }

    private struct Compressed {
        let result: Result<CompressedList?, StoreError>
        let took: Duration
    }

    private func compress(
        batch: [ListID], olderThan cutOff: Timestamp, dryRun: Bool, isBatched: Bool
    ) async -> [Compressed] {
        var began = ContinuousClock.now
        var done: [CompressionPlan] = []
        do throws(StoreError) {
            let plans =
                isBatched
                ? try await planCompressions(of: batch, olderThan: cutOff, most: BatchCompressionLimits.entries)
                    .filter { $0.steps.count == 1 } : []
            if dryRun { done = plans } else { try await apply(batch: plans, &done) }
        } catch {
            // The bundle failed, so each list goes alone and gets its own result.
        }
        let share = (ContinuousClock.now - began) / max(1, done.count)
        var compressed = done.map { Compressed(result: .success($0.report), took: share) }
        let finished = Set(done.lazy.map(\.list))
        for list in batch where !finished.contains(list) && !Task.isCancelled {
            began = .now
            let result: Result<CompressedList?, StoreError>
            do throws(StoreError) {
                result = .success(try await compress(list, olderThan: cutOff, dryRun: dryRun))
            } catch { result = .failure(error) }
            compressed.append(Compressed(result: result, took: .now - began))
        }
        return compressed
    }

    /// Applies plans of one step each.
    /// - Parameter done: the plans that were applied, also when this throws. The lists of all other plans are held by
    ///   other transactions, or have changed since.
    private func apply(batch plans: [CompressionPlan], _ done: inout [CompressionPlan]) async throws(StoreError) {
        let months = Set(plans.lazy.flatMap(\.months))
        if !months.isEmpty { try await transaction { try await $0.ensureMonths(of: months) } }
        var waiting = plans[...]
        while !waiting.isEmpty, !Task.isCancelled {
            var next: [CompressionStep] = []
            var discards = 0
            while discards < BatchCompressionLimits.discards, let plan = waiting.popFirst() {
                next.append(CompressionStep(plan: plan, index: 0))
                discards += plan.steps[0].discarded.count
            }
            let steps = next
            let outcomes = try await typed {
                try await pool.withConnection { try await $0.apply(steps, together: true) }
            }
            for case (let step, .applied) in zip(steps, outcomes) { done.append(step.plan) }
        }
    }
}

extension CompressionPlan {
    /// The report after all steps are applied.
    fileprivate var report: CompressedList {
        CompressedList(list: list, examined: examined, discarded: steps.discarded, anchored: steps.anchored)
    }
}
