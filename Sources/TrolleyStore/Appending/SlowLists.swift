import TrolleyJournal

/// The lists whose last upload timed out by itself. In a batch, the next one would hold the locks of all other lists for as
/// long.
struct SlowLists {
    /// How long a list is remembered.
    static let memory: Duration = .seconds(600)
    /// The largest number of lists to remember.
    static let maxLists = 1000

    private var until: [ListID: ContinuousClock.Instant] = [:]

    /// Records that an upload went alone.
    mutating func note(_ list: ListID, isSlow: Bool, at now: ContinuousClock.Instant) {
        guard isSlow else {
            if !until.isEmpty { until[list] = nil }
            return
        }
        if until.count >= Self.maxLists { until = [:] }
        until[list] = now + Self.memory
    }

    /// The lists whose uploads go alone.
    mutating func lists(at now: ContinuousClock.Instant) -> Set<ListID> {
        if until.isEmpty { return [] }
        until = until.filter { $0.value > now }
        return Set(until.keys)
    }
}
