public import TrolleyJournal

/// An entry in an upload.
public struct UploadEntry: Hashable, Sendable {
    public var entry: JournalEntry
    /// Milliseconds between making the entry and sending it.
    public var age: Int64
    /// The author, device and time of an entry that the service may have lost; nil for a new entry.
    public var origin: EntryOrigin?

    public init(entry: JournalEntry, age: Int64, origin: EntryOrigin? = nil) {
        self.entry = entry
        self.age = age
        self.origin = origin
    }

    /// The most bytes of ``origin`` in JSON. An entry may have them beyond its limit.
    static let bytesOfOrigin = 700
}
