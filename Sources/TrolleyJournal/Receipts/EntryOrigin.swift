/// Where a confirmed entry comes from, as a device tells a service that has lost the entry.
public struct EntryOrigin: Hashable, Sendable {
    public var author: AccountID
    public var device: DeviceID
    public var madeAt: Timestamp
    /// nil: the service that confirmed the entry gave none.
    public var receipt: EntryReceipt?
    /// The author's name as the device knows it; nil for the device's own person. If the service can't recognize the receipt,
    /// the sender becomes the author, and the entry's fields have this name.
    public var authorName: String?

    public init(
        author: AccountID, device: DeviceID, madeAt: Timestamp, receipt: EntryReceipt?, authorName: String? = nil
    ) {
        self.author = author
        self.device = device
        self.madeAt = madeAt
        self.receipt = receipt
        self.authorName = authorName
    }
}

extension ConfirmedEntry {
    /// nil where the service gave no receipt.
    public var origin: EntryOrigin? {
        receipt.map { EntryOrigin(author: author, device: device, madeAt: madeAt, receipt: $0) }
    }
}

extension JournalEntry {
    /// An added item or a message as somebody else's words: its fields name who wrote it, and when. Other entries have no
    /// words. What names its writer already stays as it is.
    /// - Parameter name: at most 100 characters of it count.
    public func quoting(_ name: String, at madeAt: Timestamp) -> JournalEntry {
        guard operation == .add || operation == .message, fields[Fields.writtenAt] == nil else { return self }
        var entry = self
        entry.fields[Fields.writtenBy] = .string(String(String.UnicodeScalarView(name.unicodeScalars.prefix(100))))
        entry.fields[Fields.writtenAt] = .string(madeAt.description)
        return entry
    }
}
