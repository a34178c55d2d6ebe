public import TrolleyJournal

/// An entry as a database stores it. Columns that are JSON already are passed on without parsing. It is valid only as
/// long as the memory that it points to.
public struct StoredEntry {
    public var sequence: Int64
    public var id: UUIDBits
    /// The operation, in ASCII.
    public var operation: UnsafeRawBufferPointer
    public var item: UUIDBits?
    public var after: UUIDBits?
    /// A JSON object; nil: no fields.
    public var fields: UnsafeRawBufferPointer?
    public var batch: UUIDBits?
    /// The cause, in ASCII.
    public var cause: UnsafeRawBufferPointer
    public var reverts: UUIDBits?
    public var deviceSequence: Int64
    public var author: UUIDBits
    public var device: UUIDBits
    public var madeAt: Timestamp
    public var receivedAt: Timestamp

    public init(
        sequence: Int64, id: UUIDBits, operation: UnsafeRawBufferPointer, item: UUIDBits?, after: UUIDBits?,
        fields: UnsafeRawBufferPointer?, batch: UUIDBits?, cause: UnsafeRawBufferPointer, reverts: UUIDBits?,
        deviceSequence: Int64, author: UUIDBits, device: UUIDBits, madeAt: Timestamp, receivedAt: Timestamp
    ) {
        self.sequence = sequence
        self.id = id
        self.operation = operation
        self.item = item
        self.after = after
        self.fields = fields
        self.batch = batch
        self.cause = cause
        self.reverts = reverts
        self.deviceSequence = deviceSequence
        self.author = author
        self.device = device
        self.madeAt = madeAt
        self.receivedAt = receivedAt
    }

    /// The most bytes that a change takes besides its words and fields: keys, seven identifiers, three numbers, two
    /// times and a receipt.
    private static let maxOtherBytes = 800

    /// Writes the entry as a change: the same JSON as `Change.write(to:)`, byte for byte, provided that the stored
    /// fields are as `Fields.write(to:)` writes them.
    /// - Parameter receipt: 8 characters in ASCII; nil: none.
    public func writeChange(to writer: inout JSONWriter, receipt: UnsafeRawBufferPointer? = nil) {
        let most = Self.maxOtherBytes + operation.count + (fields?.count ?? 0) + cause.count
        writer.append(atMost: most) { cursor in
            cursor.write(#"{"sequence":"#)
            cursor.write(sequence)
            cursor.write(#","type":"entry","entry":{"id":"#)
            cursor.write(id)
            cursor.write(#","operation":""#)
            cursor.write(operation)
            cursor.write("\"")
            if let item {
                cursor.write(#","item":"#)
                cursor.write(item)
            }
            if places {
                cursor.write(#","after":"#)
                if let after { cursor.write(after) } else { cursor.write("null") }
            }
            if let fields {
                cursor.write(#","fields":"#)
                cursor.write(fields)
            }
            if let batch {
                cursor.write(#","batch":"#)
                cursor.write(batch)
            }
            cursor.write(#","cause":""#)
            cursor.write(cause)
            cursor.write("\"")
            if let reverts {
                cursor.write(#","reverts":"#)
                cursor.write(reverts)
            }
            cursor.write(#","deviceSequence":"#)
            cursor.write(deviceSequence)
            cursor.write(#","sequence":"#)
            cursor.write(sequence)
            cursor.write(#","author":"#)
            cursor.write(author)
            cursor.write(#","device":"#)
            cursor.write(device)
            cursor.write(#","madeAt":"#)
            cursor.write(madeAt)
            cursor.write(#","receivedAt":"#)
            cursor.write(receivedAt)
            if let receipt {
                cursor.write(#","receipt":""#)
                cursor.write(receipt)
                cursor.write("\"")
            }
            cursor.write("}}")
        }
    }

    /// See `Operation.places`; other operations have no anchor.
    private var places: Bool {
        operation.elementsEqual("add".utf8) || operation.elementsEqual("move".utf8)
    }
}
