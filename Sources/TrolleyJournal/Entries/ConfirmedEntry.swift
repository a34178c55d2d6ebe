/// An entry that the server has accepted: it has a sequence and an author.
public struct ConfirmedEntry: Hashable, Sendable {
    public var entry: JournalEntry
    public var sequence: SequenceNumber
    public var author: AccountID
    public var device: DeviceID
    /// When the change was made, which the server derives from the entry's age. Decides which change wins.
    public var madeAt: Timestamp
    /// When the server accepted the entry. Decides whether the entry is old for compression.
    public var receivedAt: Timestamp
    /// Proves to the service that it has accepted this entry from this author; nil where none came with the entry.
    public var receipt: EntryReceipt?

    public init(
        entry: JournalEntry, sequence: SequenceNumber, author: AccountID, device: DeviceID, madeAt: Timestamp,
        receivedAt: Timestamp, receipt: EntryReceipt? = nil
    ) {
        self.entry = entry
        self.sequence = sequence
        self.author = author
        self.device = device
        self.madeAt = madeAt
        self.receivedAt = receivedAt
        self.receipt = receipt
    }
}
