public import TrolleyJournal

/// An entry in a diagnostic dump: enough to tell whether two sides have the same entry.
public struct DumpedEntry: Hashable, Sendable {
    /// nil: the entry waits to be sent.
    public var sequence: SequenceNumber?
    public var id: EntryID
    /// The operation's name.
    public var operation: String
    /// The item that the entry is about.
    public var item: ItemID?
    /// Where the entry is in a device's queues; nil: in none, it is shown.
    public var state: State?
    /// The device that numbered the entry; nil: the device that made the dump.
    public var device: DeviceID?
    public var deviceSequence: Int64
    public var hash: EntryHash
    /// How long the entry has waited, in milliseconds; nil: it doesn't wait.
    public var age: Int64?
    /// The text that people wrote, if the dump was made with content.
    public var content: ConfirmedEntry?
    /// The same of an entry that waits to be sent.
    public var queuedContent: JournalEntry?

    /// The state of an entry in a device's queues.
    public enum State: String, Hashable, Sendable {
        /// Received, and not shown yet.
        case toApply
        /// Waits to be sent for the first time.
        case new
        /// Was sent, and the answer is unknown.
        case sent
        /// Was confirmed before, and is offered to a service that has lost it.
        case offered
    }

    /// - Parameter waits: whether the entry is in the to-apply queue.
    public init(_ entry: ConfirmedEntry, waits: Bool = false, withContent: Bool) {
        state = waits ? .toApply : nil
        item = entry.entry.item
        sequence = entry.sequence
        id = entry.entry.id
        operation = entry.entry.operationName
        device = entry.device
        deviceSequence = entry.entry.deviceSequence
        hash = entry.hash
        content = withContent ? entry : nil
    }

    /// An entry that waits to be sent.
    public init(waiting entry: JournalEntry, age: Int64, _ state: State, withContent: Bool) {
        id = entry.id
        operation = entry.operationName
        item = entry.item
        self.state = state
        deviceSequence = entry.deviceSequence
        hash = entry.hash
        self.age = age
        queuedContent = withContent ? entry : nil
    }
}

extension DumpedEntry: JSONWritable, JSONReadable {
    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("sequence", ifAny: sequence)
            writer.member("id", id)
            writer.member("operation", operation)
            writer.member("item", ifAny: item)
            writer.member("state", ifAny: state?.rawValue)
            writer.member("device", ifAny: device)
            writer.member("deviceSequence", deviceSequence)
            writer.member("hash", hash)
            writer.member("age", ifAny: age)
            writer.member("content", ifAny: content)
            writer.member("content", ifAny: queuedContent)
        }
    }

    /// - Throws: `.invalid` when it has no sequence: only entries with a sequence can be compared.
    init(from reader: inout JSONReader) throws(WireError) {
        var sequence: Int64?
        var id: EntryID?
        var operation: String?
        var item: ItemID?
        var state: State?
        var device: DeviceID?
        var deviceSequence: Int64 = 0
        var hash: EntryHash?
        var age: Int64?
        var content: ConfirmedEntry?
        try reader.object { key, reader throws(WireError) in
            switch key {
            case "sequence": sequence = try reader.integer()
            case "id": id = try reader.identifier()
            case "operation": operation = try reader.string()
            case "item": item = try reader.identifier()
            case "state": state = State(rawValue: try reader.string())
            case "device": device = try reader.identifier()
            case "deviceSequence": deviceSequence = try reader.integer()
            case "hash": hash = EntryHash(try reader.string())
            case "age": age = try reader.integer()
            case "content": content = try ConfirmedEntry(from: &reader)
            default: try reader.skip()
            }
        }
        guard let sequence else { throw .invalid("an entry of the dump has no sequence") }
        guard let id, let operation else { throw .invalid("an entry of the dump has no id or operation") }
        guard let hash else { throw .invalid("an entry of the dump has no hash, or one that isn't 16 digits") }
        self.sequence = SequenceNumber(rawValue: sequence)
        self.id = id
        self.operation = operation
        self.item = item
        self.state = state
        self.device = device
        self.deviceSequence = deviceSequence
        self.hash = hash
        self.age = age
        self.content = content
    }
}
