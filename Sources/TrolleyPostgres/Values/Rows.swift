/// The result of one statement: its rows, in the memory that libpq received them in.
public struct Rows: RandomAccessCollection, Sendable {
    let result: ResultHandle
    public let count: Int

    init(_ result: ResultHandle) {
        self.result = result
        count = result.rowCount
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }
    public subscript(position: Int) -> Row { Row(result: result, index: position) }

    /// The number of bytes of memory that the rows occupy.
    public var memory: Int { result.memory }
    /// Rows that the command inserted, updated, deleted or selected.
    public var affectedRows: Int { result.affectedRows }
    /// `INSERT 0 1`, `COMMIT` …
    public var commandTag: String { result.commandTag }
    public var columns: [String] { (0..<result.columnCount).map(result.columnName) }
}

extension Rows {
    /// Gives access to the values in binary format, as the server sent them. For large results, where one cell for each
    /// value costs too much.
    /// - Throws: `decoding` when the columns from `column` on are not of these types.
    public func withValues<Value>(
        of types: [PostgresType], from column: Int = 0, _ body: (RowValues) throws(PostgresError) -> Value
    ) throws(PostgresError) -> Value {
        for (index, type) in types.enumerated() {
            guard column + index < result.columnCount, result.columnType(column + index) == type.oid,
                result.columnFormat(column + index) == .binary
            else { throw PostgresError(.decoding, "column \(column + index) doesn't have the requested type") }
        }
        return try withExtendedLifetime(result) { () throws(PostgresError) in
            try body(RowValues(result: result, first: column))
        }
    }
}

/// The values of rows, in the memory that libpq received them in. Valid only inside the `body` of `withValues`.
public struct RowValues {
    fileprivate let result: ResultHandle
    /// The column that has index 0 here.
    fileprivate let first: Int

    /// The value's bytes; nil for NULL. The row and the column must exist. The functions below return nil for NULL as
    /// well.
    public func bytes(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        result.value(row: row, column: first + column)
    }

    /// An `int8`.
    public func integer(row: Int, column: Int) -> Int64? {
        guard let bytes = bytes(row: row, column: column), bytes.count == 8 else { return nil }
        return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    }

    public func uuid(row: Int, column: Int) -> PostgresUUID? {
        guard let bytes = bytes(row: row, column: column), bytes.count == 16 else { return nil }
        return PostgresUUID(
            high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
            low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }

    /// A `timestamptz`. Also nil for an infinite one.
    public func timestamp(row: Int, column: Int) -> PostgresTimestamp? {
        guard let value = integer(row: row, column: column), value != .min else { return nil }
        let (sum, overflow) = value.addingReportingOverflow(PostgresTimestamp.postgresEpoch)
        return overflow ? nil : PostgresTimestamp(microsecondsSince1970: sum)
    }
}
