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
}

extension Fields {
    fileprivate init(cell: Cell) throws(PostgresError) {
        if cell.isNull {
            self.init()
            return
        }
        let read = cell.withBytes { bytes in
            Result { () throws(WireError) in
                try JSONReader.read(bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)) {
                    (reader) throws(WireError) in try Fields(from: &reader)
                }
            }
        }
        guard case .success(let fields) = read else { throw cell.mismatch(Fields.self) }
        self = fields
    }
}
