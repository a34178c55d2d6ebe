public import TrolleyJournal

/// An entry in an upload.
public struct UploadEntry: Hashable, Sendable {
    public var entry: JournalEntry
    /// Milliseconds between making the entry and sending it.
    public var age: Int64

    public init(entry: JournalEntry, age: Int64) {
        self.entry = entry
        self.age = age
    }
}
