public import TrolleyJournal

/// One round of compression over all lists: takes out of each what is old enough and no longer matters, then drops what the
/// retention doesn't keep. Safe to run twice, at once, or killed.
public struct Sweep: Sendable {
    public let retention: Retention
    /// Lists, or bundles of short ones, at the same time.
    public var parallel = 1
    /// Milliseconds. Leaves out lists that were compressed within them.
    public var pause: Int64 = 0
    /// Only works out what would go.
    public var isDryRun = false

    public init(_ retention: Retention, parallel: Int = 1, pause: Int64 = 0, isDryRun: Bool = false) {
        self.retention = retention
        self.parallel = parallel
        self.pause = pause
        self.isDryRun = isDryRun
    }

    /// What a round dropped, besides what it reported of each list.
    public struct Outcome: Sendable {
        /// What was received before was looked at.
        public let cutOff: Timestamp
        /// Discards that devices no longer can catch up by.
        public var trailDropped = 0
        /// Months of the Activity.
        public var monthsDropped = 0
    }

    /// - Parameters:
    ///   - only: compresses this list and does nothing else.
    ///   - page: is told how many lists are compressed next.
    ///   - report: as in ``Store/compress(_:olderThan:dryRun:parallel:report:)``.
    public func run(
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
