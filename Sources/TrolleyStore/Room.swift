import TrolleyJournal

/// How many more entries a list has room for.
struct Room: Hashable, Sendable {
    private let quota: Int64
    private var taken: Int64

    /// - Parameter taken: entries in the list's live journal.
    init(quota: Int, taken: Int64) {
        self.quota = Int64(quota)
        self.taken = taken
    }

    /// Takes room for one entry. A full list can still be tidied up: that takes entries too, for which there is as much
    /// room again.
    /// - Returns: the quota, if there is no room.
    mutating func take(_ operation: Operation) -> Int64? {
        let limit = operation == .add ? quota : 2 * quota
        guard taken < limit else { return quota }
        taken += 1
        return nil
    }
}
