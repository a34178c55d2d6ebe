import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Operation: TextColumn {}
extension Cause: TextColumn {}

extension ConfirmedEntry {
    /// Reads the columns of `EntrySQL.columns`, which start at `column`.
    init(row: Row, from column: Int = 0) throws(PostgresError) {
        let operation = try row.decode(Operation.self, at: column + 2)
        self.init(
            entry: JournalEntry(
                id: try row.decode(at: column + 1), operation: operation, item: try row.decode(at: column + 3),
                after: try row.decode(at: column + 4), fields: try Fields(cell: row[column + 5]),
                batch: try row.decode(at: column + 6), cause: try row.decode(at: column + 7),
                reverts: try row.decode(at: column + 8), deviceSequence: try row.decode(at: column + 9)),
            sequence: try row.decode(at: column), author: try row.decode(at: column + 10),
            device: try row.decode(at: column + 11), madeAt: try row.decode(at: column + 12),
            receivedAt: try row.decode(at: column + 13))
    }

    /// The same for rows whose types are known to be `EntrySQL.types`; takes a fraction of the time.
    init(_ values: RowValues, row: Int, from column: Int = 0) throws(PostgresError) {
        let stored = try StoredEntry(values, row: row, from: column)
        guard let operation = Operation(utf8: stored.operation), let cause = Cause(utf8: stored.cause),
            let fields = stored.fields.map(Fields.init(json:)) ?? Fields()
        else { throw PostgresError(.decoding, "an entry has a word or fields that this version doesn't know") }
        self.init(
            entry: JournalEntry(
                id: EntryID(stored.id), operation: operation, item: stored.item.map(ItemID.init),
                after: stored.after.map(ItemID.init), fields: fields, batch: stored.batch.map(BatchID.init),
                cause: cause, reverts: stored.reverts.map(EntryID.init), deviceSequence: stored.deviceSequence),
            sequence: SequenceNumber(rawValue: stored.sequence), author: AccountID(stored.author),
            device: DeviceID(stored.device), madeAt: stored.madeAt, receivedAt: stored.receivedAt)
    }

    /// The part of an entry that the fold and compression need, from the columns that `CompressionSQL.entries` selects.
    /// Device and batch are blank.
    init(effect values: RowValues, row: Int, from first: Int) throws(PostgresError) {
        func uuid(_ column: Int) -> UUIDBits? {
            values.uuid(row: row, column: first + column).map { UUIDBits(high: $0.high, low: $0.low) }
        }
        func time(_ column: Int) -> Timestamp? {
            values.timestamp(row: row, column: first + column).map(Timestamp.init)
        }
        guard let sequence = values.integer(row: row, column: first), let id = uuid(1),
            let operation = values.bytes(row: row, column: first + 2).flatMap(Operation.init(utf8:)),
            let fields = values.bytes(row: row, column: first + 5).map(Fields.init(json:)) ?? Fields(),
            let madeAt = time(6), let receivedAt = time(7), let author = uuid(8)
        else { throw PostgresError(.decoding, "an entry lacks a value, or has one that this version doesn't know") }
        let nobody = UUIDBits(high: 0, low: 0)
        self.init(
            entry: JournalEntry(
                id: EntryID(id), operation: operation, item: uuid(3).map(ItemID.init), after: uuid(4).map(ItemID.init),
                fields: fields, deviceSequence: 0),
            sequence: SequenceNumber(rawValue: sequence), author: AccountID(author), device: DeviceID(nobody),
            madeAt: madeAt, receivedAt: receivedAt)
    }
}

extension StoredEntry {
    /// Reads the columns of `EntrySQL.columns`, which start at `first` and whose types are known to be `EntrySQL.types`.
    init(_ values: RowValues, row: Int, from first: Int = 0) throws(PostgresError) {
        func uuid(_ column: Int) -> UUIDBits? {
            values.uuid(row: row, column: first + column).map { UUIDBits(high: $0.high, low: $0.low) }
        }
        func bytes(_ column: Int) -> UnsafeRawBufferPointer? { values.bytes(row: row, column: first + column) }
        func integer(_ column: Int) -> Int64? { values.integer(row: row, column: first + column) }
        func time(_ column: Int) -> Timestamp? {
            values.timestamp(row: row, column: first + column).map(Timestamp.init)
        }
        guard let sequence = integer(0), let id = uuid(1), let operation = bytes(2), let cause = bytes(7),
            let deviceSequence = integer(9), let author = uuid(10), let device = uuid(11), let madeAt = time(12),
            let receivedAt = time(13)
        else { throw PostgresError(.decoding, "an entry lacks a value that every entry has") }
        self.init(
            sequence: sequence, id: id, operation: operation, item: uuid(3), after: uuid(4), fields: bytes(5),
            batch: uuid(6), cause: cause, reverts: uuid(8), deviceSequence: deviceSequence, author: author,
            device: device, madeAt: madeAt, receivedAt: receivedAt)
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// Reads a word without allocating a string.
    fileprivate init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard let word = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(bytes) }) else { return nil }
        self = word
    }
}

extension Fields {
    init(cell: Cell) throws(PostgresError) {
        guard let fields = cell.withBytes({ $0.map(Fields.init(json:)) ?? Fields() }) else {
            throw cell.mismatch(Fields.self)
        }
        self = fields
    }

    /// - Returns: nil when it is not an object of fields.
    fileprivate init?(json: UnsafeRawBufferPointer) {
        do { try self.init(utf8: json) } catch { return nil }
    }
}
