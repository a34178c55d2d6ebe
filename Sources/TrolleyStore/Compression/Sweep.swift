package import TrolleyJournal

/// One round of compression over all lists: compresses each, then deletes what the retention doesn't keep. Safe to
/// repeat, to run concurrently, and to kill.
package struct Sweep: Sendable {
    package let retention: Retention
    /// The number of lists, or of bundles of short lists, at the same time.
    package var parallel = 1
    /// Leaves out lists that were compressed within this many milliseconds.
    package var pause: Int64 = 0
    /// Only computes what would be discarded.
    package var isDryRun = false

    package init(_ retention: Retention, parallel: Int = 1, pause: Int64 = 0, isDryRun: Bool = false) {
        self.retention = retention
        self.parallel = parallel
        self.pause = pause
        self.isDryRun = isDryRun
    }

    /// The result of a round, besides the reports on each list.
    package struct Outcome: Sendable {
        /// Entries received before this time were examined.
        package let cutOff: Timestamp
        /// The number of deleted discards. Devices that lack them fetch snapshots.
        package var trailDropped = 0
        /// The number of dropped months of the Activity.
        package var monthsDropped = 0
    }

    /// - Parameters:
    ///   - only: compresses this list and does nothing else.
    ///   - page: called with the number of lists that are compressed next.
    ///   - report: as in ``Store/compress(_:olderThan:dryRun:parallel:report:)``.
    package func run(
        on store: Store, only: ListID? = nil, page: (Int) -> Void = { _ in },
        report: (Result<CompressedList?, StoreError>, Duration) -> Void
    ) async throws(StoreError) -> Outcome {
        let now = try await store.now()
        var outcome = Outcome(cutOff: now.advanced(byMilliseconds: -retention.compressionAge))
        var lists = ListsToCompress(lists: [only].compactMap(\.self), next: nil)
        if only == nil {
            lists = try await store.listsToCompress(olderThan: outcome.cutOff, pause: pause)
        }
        while true {
            page(lists.lists.count)
            await store.compress(
                lists.lists, olderThan: outcome.cutOff, dryRun: isDryRun, parallel: parallel, report: report)
            guard let next = lists.next, !Task.isCancelled else { break }
            lists = try await store.listsToCompress(olderThan: outcome.cutOff, pause: pause, after: next)
        }
        guard only == nil, !isDryRun else { return outcome }
        outcome.trailDropped = try await store.dropTrail(olderThan: now.advanced(byMilliseconds: -retention.trail))
        if let activity = retention.activity {
            outcome.monthsDropped = try await store.dropActivity(olderThan: now.advanced(byMilliseconds: -activity))
        }
        return outcome
    }
}
