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

    /// The same of rows whose types are known to be `EntrySQL.types`, a fraction of the cost.
    init(_ values: RowValues, row: Int) throws(PostgresError) {
        let stored = try StoredEntry(values, row: row)
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
}

extension StoredEntry {
    /// Reads the columns of `EntrySQL.columns`, whose types are known to be `EntrySQL.types`.
    init(_ values: RowValues, row: Int) throws(PostgresError) {
        func uuid(_ column: Int) -> UUIDBits? {
            values.uuid(row: row, column: column).map { UUIDBits(high: $0.high, low: $0.low) }
        }
        guard let sequence = values.integer(row: row, column: 0), let id = uuid(1),
            let operation = values.bytes(row: row, column: 2), let cause = values.bytes(row: row, column: 7),
            let deviceSequence = values.integer(row: row, column: 9), let author = uuid(10), let device = uuid(11),
            let madeAt = values.timestamp(row: row, column: 12), let receivedAt = values.timestamp(row: row, column: 13)
        else { throw PostgresError(.decoding, "an entry lacks a value that every entry has") }
        self.init(
            sequence: sequence, id: id, operation: operation, item: uuid(3), after: uuid(4),
            fields: values.bytes(row: row, column: 5), batch: uuid(6), cause: cause, reverts: uuid(8),
            deviceSequence: deviceSequence, author: author, device: device, madeAt: Timestamp(madeAt),
            receivedAt: Timestamp(receivedAt))
    }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
    /// A word, without making a text of it.
    fileprivate init?(utf8 bytes: UnsafeRawBufferPointer) {
        guard let word = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(bytes) }) else { return nil }
        self = word
    }
}

extension Fields {
    fileprivate init(cell: Cell) throws(PostgresError) {
        guard let fields = cell.withBytes({ $0.map(Fields.init(json:)) ?? Fields() }) else {
            throw cell.mismatch(Fields.self)
        }
        self = fields
    }

    /// - Returns: nil when it is no object of fields.
    fileprivate init?(json: UnsafeRawBufferPointer) {
        do {
            self = try JSONReader.read(json) { (reader) throws(WireError) in try Fields(from: &reader) }
        } catch { return nil }
    }
}
