/// One immutable change to a list, as the device made it.
public struct JournalEntry: Hashable, Sendable {
    /// UUIDv7, made on the device. The idempotency key: an id is accepted once in its list, ever.
    public var id: EntryID
    /// The device's own counter for this list: 1, 2, 3 … in the order in which the device sends entries.
    public var deviceSequence: Int64
    /// The largest `deviceSequence` that the service accepts.
    public static let maxDeviceSequence: Int64 = 1_000_000_000
    /// For `add` and `edit`: what the item's fields become. For `renameList` and `recolourList`: `text`, and other fields of the
    /// list. For `markOff`: `shop`, where it was bought. For operations on messages: `text`, `message`.
    public var fields: Fields
    public var operation: Operation
    // Journals are long. Packed, these take 65 bytes; as optionals they would take 96.
    private var optionals = OptionalIdentifiers()
    public var cause: Cause

    public init(
        id: EntryID, operation: Operation, item: ItemID? = nil, after: ItemID? = nil, fields: Fields = [:],
        batch: BatchID? = nil, cause: Cause = .edit, reverts: EntryID? = nil, deviceSequence: Int64
    ) {
        self.id = id
        self.operation = operation
        self.fields = fields
        self.cause = cause
        self.deviceSequence = deviceSequence
        self.item = item
        self.after = after
        self.batch = batch
        self.reverts = reverts
    }

    /// An entry with an operation that only a later version knows.
    public init(
        id: EntryID, unknownOperation: OperationName, item: ItemID? = nil, fields: Fields = [:], batch: BatchID? = nil,
        cause: Cause = .edit, reverts: EntryID? = nil, deviceSequence: Int64
    ) {
        self.init(
            id: id, operation: .unknown, item: item, fields: fields, batch: batch, cause: cause, reverts: reverts,
            deviceSequence: deviceSequence)
        optionals.after = unknownOperation.bits
    }

    /// The name of the operation if ``operation`` is ``Operation/unknown``. It takes the place of ``after``, which such an
    /// entry doesn't have.
    public var unknownOperation: OperationName? {
        guard operation == .unknown, optionals.after != UUIDBits(high: 0, low: 0) else { return nil }
        return OperationName(bits: optionals.after)
    }

    /// The operation's name, as it stands in JSON.
    public var operationName: String { unknownOperation?.text ?? operation.rawValue }

    /// The item that changes, or that a `message` is about; nil for `renameList` and `recolourList`.
    public var item: ItemID? {
        get { optionals.get(optionals.item, .item) }
        set { optionals.item = optionals.note(newValue, as: .item) }
    }

    /// For `add` and `move`: the item directly above; nil means the top.
    public var after: ItemID? {
        get { optionals.get(optionals.after, .after) }
        set { if operation != .unknown { optionals.after = optionals.note(newValue, as: .after) } }
    }

    /// The gesture that this entry is part of.
    public var batch: BatchID? {
        get { optionals.get(optionals.batch, .batch) }
        set { optionals.batch = optionals.note(newValue, as: .batch) }
    }

    /// The entry that an undo or redo acts on.
    public var reverts: EntryID? {
        get { optionals.get(optionals.reverts, .reverts) }
        set { optionals.reverts = optionals.note(newValue, as: .reverts) }
    }
}

extension JournalEntry {
    /// The value of a `renameList` or `recolourList`: its `text` or, without that, its `name` or `colour`. nil: the
    /// value can't be a name or colour, so the entry has no effect. `.null` removes the name or colour.
    package var listValue: FieldValue? {
        guard operation.concernsList else { return nil }
        let alias = operation == .renameList ? Fields.name : Fields.colour
        let value = fields[Fields.text] ?? fields[alias]
        if case .json? = value { return nil }
        return value
    }
}

extension JournalEntry {
    /// What the entry sets of the list itself, by field: its `text` is the name or colour, and the order of aisles, the shops and former
    /// names of aisles have their own keys. A `recolourList` or `renameList` may have these with or without a text. `.null` clears a
    /// field. Older programs ignore what they don't know.
    var listFields: Fields {
        guard operation.concernsList else { return [:] }
        var result = Fields()
        for (key, value) in fields where Fields.isOfList(key) {
            if case .json = value { continue }
            result[key] = value
        }
        result[operation == .renameList ? Fields.name : Fields.colour] = listValue
        return result
    }
}
