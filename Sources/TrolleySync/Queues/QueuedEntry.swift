public import TrolleyJournal

/// An entry in the upload queue.
public struct QueuedEntry: Hashable, Sendable {
    public var entry: JournalEntry
    public var made: DeviceTime
    /// Whether the service had confirmed the entry before, possibly as another person's. It is offered again to a
    /// service that has lost it.
    public var isOffered: Bool
    /// Whether this device knows that it made the entry. The person is told when such an entry is refused, also when it was
    /// offered again.
    public var isOwn: Bool
    /// The author, device and time of an entry that is offered again; nil if the service gave no receipt for it.
    public var origin: EntryOrigin?

    public init(
        entry: JournalEntry, made: DeviceTime, isOffered: Bool = false, isOwn: Bool? = nil, origin: EntryOrigin? = nil
    ) {
        self.entry = entry
        self.made = made
        self.isOffered = isOffered
        self.isOwn = isOwn ?? !isOffered
        self.origin = origin
    }
}

extension QueuedEntry {
    /// Whether there is nothing left to do, and nothing to tell the person, when the service doesn't know what the entry is about,
    /// or has its id with other content: an entry that was confirmed before is there already, with the anchor or number that it had
    /// on another device, or its message is lost; and a message that is gone need not be deleted.
    package var isDispensable: Bool { Self.isDispensable(entry.operation, isOffered: isOffered) }

    package static func isDispensable(_ operation: TrolleyJournal.Operation, isOffered: Bool) -> Bool {
        isOffered || operation == .deleteMessage
    }
}
