import TrolleyJournal
import TrolleySync

/// Reads what a ``BundleWriter`` has written. Every read is checked, so damaged bytes are an error and nothing else.
struct BundleReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    /// - Parameter bytes: valid as long as this value is used.
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() throws(QueueStoreError) -> UInt8 {
        guard position < bytes.count else { throw Self.damaged }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(QueueStoreError) -> Int64 { Int64(bitPattern: try word()) }

    mutating func identifier<ID: Identifier>() throws(QueueStoreError) -> ID {
        let high = try word()
        return ID(UUIDBits(high: high, low: try word()))
    }

    mutating func time() throws(QueueStoreError) -> Timestamp { Timestamp(milliseconds: try number()) }

    mutating func text() throws(QueueStoreError) -> String {
        let count = try count()
        guard count <= bytes.count - position else { throw Self.damaged }
        defer { position += count }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]), as: UTF8.self)
    }

    mutating func entry() throws(QueueStoreError) -> JournalEntry {
        let code = try byte()
        let name: OperationName? = code == TrolleyJournal.Operation.unknown.bundleCode ? try operationName() : nil
        let present = BundledMembers(rawValue: try byte())
        let causeCode = try byte()
        guard let cause = Cause.allCases.first(where: { $0.bundleCode == causeCode }) else { throw Self.damaged }
        let id: EntryID = try identifier()
        let item: ItemID? = present.contains(.item) ? try identifier() : nil
        let after: ItemID? = present.contains(.after) ? try identifier() : nil
        let batch: BatchID? = present.contains(.batch) ? try identifier() : nil
        let reverts: EntryID? = present.contains(.reverts) ? try identifier() : nil
        let deviceSequence = try number()
        let fields = try fields()
        if let name {
            return JournalEntry(
                id: id, unknownOperation: name, item: item, fields: fields, batch: batch, cause: cause,
                reverts: reverts, deviceSequence: deviceSequence)
        }
        guard let operation = TrolleyJournal.Operation(bundleCode: code) else { throw Self.damaged }
        return JournalEntry(
            id: id, operation: operation, item: item, after: after, fields: fields, batch: batch, cause: cause,
            reverts: reverts, deviceSequence: deviceSequence)
    }

    private mutating func operationName() throws(QueueStoreError) -> OperationName {
        guard let name = OperationName(try text()) else { throw Self.damaged }
        return name
    }

    private mutating func fields() throws(QueueStoreError) -> Fields {
        var fields = Fields()
        for _ in 0..<(try count()) {
            let key = try text()
            switch try byte() {
            case 0: fields[key] = .null
            case 1: fields[key] = .string(try text())
            case 2: fields[key] = .json(try text())
            default: throw Self.damaged
            }
        }
        return fields
    }

    private mutating func word() throws(QueueStoreError) -> UInt64 {
        guard bytes.count - position >= 8 else { throw Self.damaged }
        defer { position += 8 }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
    }

    private mutating func count() throws(QueueStoreError) -> Int {
        guard bytes.count - position >= 4 else { throw Self.damaged }
        defer { position += 4 }
        return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
    }

    static let damaged = QueueStoreError.unreadable("a bundle of entries is damaged")
}
