public import TrolleyJournal

/// An entry in the upload queue.
public struct QueuedEntry: Hashable, Sendable {
    public var entry: JournalEntry
    public var made: DeviceTime

    public init(entry: JournalEntry, made: DeviceTime) {
        self.entry = entry
        self.made = made
    }
}
