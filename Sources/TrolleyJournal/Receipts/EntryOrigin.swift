/// Where a confirmed entry comes from, as a device tells a service that has lost the entry.
public struct EntryOrigin: Hashable, Sendable {
    public var author: AccountID
    public var device: DeviceID
    public var madeAt: Timestamp
    public var receipt: EntryReceipt

    public init(author: AccountID, device: DeviceID, madeAt: Timestamp, receipt: EntryReceipt) {
        self.author = author
        self.device = device
        self.madeAt = madeAt
        self.receipt = receipt
    }
}

extension ConfirmedEntry {
    /// nil where the service gave no receipt.
    public var origin: EntryOrigin? {
        receipt.map { EntryOrigin(author: author, device: device, madeAt: madeAt, receipt: $0) }
    }
}
