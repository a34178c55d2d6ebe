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

/// One row. Decode a column by position, `try row.decode(Int64.self, at: 0)`, or all columns at once: `let (id, head) =
/// try row.decode((PostgresUUID, Int64).self)`.
public struct Row: Sendable {
    let result: ResultHandle
    let index: Int

    public var count: Int { result.columnCount }

    /// `column` must exist in the result.
    public subscript(column: Int) -> Cell {
        precondition(column >= 0 && column < result.columnCount, "the result has no column \(column)")
        return Cell(
            result: result, bytes: result.value(row: index, column: column), type: result.columnType(column),
            format: result.columnFormat(column), column: column)
    }

    /// Errors: `decoding` when the column doesn't exist or doesn't contain a `Value`.
    public func decode<Value: PostgresDecodable>(
        _ type: Value.Type = Value.self, at column: Int
    ) throws(PostgresError) -> Value {
        guard column >= 0, column < count else {
            throw PostgresError(.decoding, "the result has no column \(column), only \(count) columns")
        }
        return try Value.decode(self[column])
    }

    /// Decodes the first columns, in order, as a tuple.
    public func decode<each Value: PostgresDecodable>(
        _ type: (repeat each Value).Type = (repeat each Value).self
    ) throws(PostgresError) -> (repeat each Value) {
        var column = -1
        func next<V: PostgresDecodable>(_: V.Type) throws(PostgresError) -> V {
            column += 1
            return try decode(V.self, at: column)
        }
        return (repeat try next((each Value).self))
    }

    /// The value's bytes as the server sent them; nil for NULL. Not copied; valid only inside `body`.
    public func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        self[column].withBytes(body)
    }
}
