public import TrolleyJournal

/// An entry in the upload queue.
public struct QueuedEntry: Hashable, Sendable {
    public var entry: JournalEntry
    public var made: DeviceTime
    /// Whether the service had confirmed the entry before, possibly as another person's. It is offered again to a
    /// service that has lost it.
    public var isOffered: Bool

    public init(entry: JournalEntry, made: DeviceTime, isOffered: Bool = false) {
        self.entry = entry
        self.made = made
        self.isOffered = isOffered
    }
}
