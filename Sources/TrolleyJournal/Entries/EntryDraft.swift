/// A planned entry, without the id, batch and counter that the device gives it.
public struct EntryDraft: Hashable, Sendable {
    public var operation: Operation
    public var item: ItemID?
    public var after: ItemID?
    public var fields: Fields
    public var cause: Cause
    /// The entry that an undo or redo acts on.
    public var reverts: EntryID?

    public init(
        _ operation: Operation, item: ItemID? = nil, after: ItemID? = nil, fields: Fields = [:], cause: Cause = .edit,
        reverts: EntryID? = nil
    ) {
        self.operation = operation
        self.item = item
        self.after = after
        self.fields = fields
        self.cause = cause
        self.reverts = reverts
    }

    /// The entry for this draft.
    public func entry(id: EntryID, batch: BatchID?, deviceSequence: Int64) -> JournalEntry {
        JournalEntry(
            id: id, operation: operation, item: item, after: after, fields: fields, batch: batch, cause: cause,
            reverts: reverts, deviceSequence: deviceSequence)
    }
}
