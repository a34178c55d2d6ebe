public import TrolleyJournal

// Written by hand for speed: a phone that was off for a year reads a hundred thousand entries.

extension JournalEntry {
    /// Reads an entry. Unknown keys are skipped; an unknown operation is kept, as ``Operation/unknown(_:)``.
    public init(from reader: inout JSONReader) throws(WireError) {
        self = try WireEntry(from: &reader).entry()
    }

    /// Reads an entry as ``init(from:)``, and its origin, if it is there: with a receipt, or with the author's name.
    public static func withOrigin(
        from reader: inout JSONReader
    ) throws(WireError) -> (entry: JournalEntry, origin: EntryOrigin?) {
        let wire = try WireEntry(from: &reader)
        return (try wire.entry(), wire.origin)
    }
}

extension ConfirmedEntry {
    /// Reads an entry as the service sends it.
    public init(from reader: inout JSONReader) throws(WireError) {
        let wire = try WireEntry(from: &reader)
        guard let sequence = wire.sequence else { throw .invalid("sequence is missing") }
        guard let author = wire.author else { throw .invalid("author is missing") }
        guard let device = wire.device else { throw .invalid("device is missing") }
        guard let madeAt = wire.madeAt else { throw .invalid("madeAt is missing") }
        self.init(
            entry: try wire.entry(), sequence: SequenceNumber(rawValue: sequence), author: author, device: device,
            madeAt: madeAt, receivedAt: wire.receivedAt ?? madeAt, receipt: wire.receipt)
    }

    public func write(to writer: inout JSONWriter) { write(to: &writer, authorName: nil) }

    /// Writes the entry as a device stores what it offers again.
    /// - Parameter authorName: see ``EntryOrigin/authorName``.
    public func write(to writer: inout JSONWriter, authorName: String?) {
        writer.object { writer in
            entry.writeMembers(to: &writer)
            writer.key("sequence")
            writer.integer(sequence.rawValue)
            writer.key("author")
            writer.identifier(author)
            writer.key("device")
            writer.identifier(device)
            writer.key("madeAt")
            writer.timestamp(madeAt)
            writer.key("receivedAt")
            writer.timestamp(receivedAt)
            writer.write(receipt, authorName: authorName)
        }
    }
}

extension UploadEntry {
    /// Reads an entry of an upload.
    /// - Throws: also for an operation that this version doesn't know, and for a message without what it needs.
    public init(from reader: inout JSONReader) throws(WireError) {
        let wire = try WireEntry(from: &reader)
        let age = wire.age ?? 0
        guard age >= 0 else { throw .invalid("age must not be negative") }
        let entry = try wire.entry()
        // What a later version sends can't be checked here, so it must not be stored.
        if entry.operation == .unknown { throw .invalid("operation: no such operation") }
        if let fault = entry.messageFault { throw .invalid(fault) }
        self.init(entry: entry, age: age, origin: wire.origin)
    }

    public func write(to writer: inout JSONWriter) {
        writer.object { writer in
            entry.writeMembers(to: &writer)
            writer.key("age")
            writer.integer(age)
            if let origin {
                writer.key("author")
                writer.identifier(origin.author)
                writer.key("device")
                writer.identifier(origin.device)
                writer.key("madeAt")
                writer.timestamp(origin.madeAt)
                writer.write(origin.receipt, authorName: origin.authorName)
            }
        }
    }
}

extension JournalEntry {
    /// Writes an entry by itself, as a device stores it.
    public func write(to writer: inout JSONWriter) {
        writer.object { writeMembers(to: &$0) }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.key("id")
        writer.identifier(id)
        writer.operation(operation, named: operationName, item: item, after: after, fields: fields)
        if let batch {
            writer.key("batch")
            writer.identifier(batch)
        }
        writer.key("cause")
        writer.string(cause.rawValue)
        if let reverts {
            writer.key("reverts")
            writer.identifier(reverts)
        }
        writer.key("deviceSequence")
        writer.integer(deviceSequence)
    }
}

extension JSONWriter {
    fileprivate mutating func write(_ receipt: EntryReceipt?, authorName: String?) {
        if let receipt {
            key("receipt")
            string(receipt.text)
        }
        if let authorName {
            key("authorName")
            string(authorName)
        }
    }

    /// An entry's operation with what it applies to. Leaves out members that the entry doesn't have, except `after`,
    /// where null has a meaning.
    mutating func operation(
        _ operation: Operation, named name: String, item: ItemID?, after: ItemID?, fields: Fields
    ) {
        key("operation")
        string(name)
        if let item {
            key("item")
            identifier(item)
        }
        if operation.places {
            key("after")
            if let after { identifier(after) } else { null() }
        }
        if !fields.isEmpty {
            key("fields")
            fields.write(to: &self)
        }
    }
}

/// Every member that an entry can have, in uploads and in answers.
private struct WireEntry {
    var id: EntryID?
    var operation: Operation?
    var unknownOperation: OperationName?
    var item: ItemID?
    var after: ItemID?
    var fields: Fields = [:]
    var batch: BatchID?
    var cause: Cause = .edit
    var reverts: EntryID?
    var deviceSequence: Int64?
    var age: Int64?
    var sequence: Int64?
    var author: AccountID?
    var device: DeviceID?
    var madeAt: Timestamp?
    var receivedAt: Timestamp?
    var receipt: EntryReceipt?
    var authorName: String?

    var origin: EntryOrigin? {
        guard let author, let device, let madeAt, receipt != nil || authorName != nil else { return nil }
        return EntryOrigin(
            author: author, device: device, madeAt: madeAt, receipt: receipt, authorName: authorName)
    }

    init(from reader: inout JSONReader) throws(WireError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            if try reader.null() { continue }
            do {
                try read(key, from: &reader)
            } catch .invalid(let what) where !what.begins(with: "fields.") {
                throw .invalid(String(joining: key.string, ": ", what))
            }
        }
    }

    private mutating func read(_ key: JSONText, from reader: inout JSONReader) throws(WireError) {
        switch key {
        case "id": id = try reader.identifier()
        case "operation":
            let name = try reader.string()
            operation = Operation(name: name) ?? .unknown
            guard operation == .unknown else { break }
            unknownOperation = OperationName(name)
            if unknownOperation == nil {
                throw .invalid(String(joining: "operation: expected 1 to ", String(OperationName.maxBytes), " bytes"))
            }
        case "item": item = try reader.identifier()
        case "after": after = try reader.identifier()
        case "fields": fields = try Fields(from: &reader)
        case "batch": batch = try reader.identifier()
        case "cause":
            let name = try reader.string()
            guard let known = Cause(name: name) else { throw .invalid("no such cause") }
            cause = known
        case "reverts": reverts = try reader.identifier()
        case "deviceSequence": deviceSequence = try reader.integer()
        case "age": age = try reader.integer()
        case "sequence": sequence = try reader.integer()
        case "author": author = try reader.identifier()
        case "device": device = try reader.identifier()
        case "madeAt": madeAt = try reader.timestamp()
        case "receivedAt": receivedAt = try reader.timestamp()
        // A receipt in another form proves nothing.
        case "receipt": receipt = EntryReceipt(try reader.string())
        case "authorName": authorName = try reader.string()
        default: try reader.skip()
        }
    }

    func entry() throws(WireError) -> JournalEntry {
        guard let id else { throw .invalid("id is missing") }
        guard let operation else { throw .invalid("operation is missing") }
        guard !operation.concernsItem || item != nil else { throw .invalid("item is missing") }
        guard let deviceSequence else { throw .invalid("deviceSequence is missing") }
        guard deviceSequence > 0 else { throw .invalid("deviceSequence counts from 1") }
        if let unknownOperation {
            return JournalEntry(
                id: id, unknownOperation: unknownOperation, item: item, fields: fields, batch: batch, cause: cause,
                reverts: reverts, deviceSequence: deviceSequence)
        }
        return JournalEntry(
            id: id, operation: operation, item: operation.concernsList ? nil : item,
            after: operation.places ? after : nil, fields: fields, batch: batch, cause: cause, reverts: reverts,
            deviceSequence: deviceSequence)
    }
}
