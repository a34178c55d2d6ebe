/// The answer to one statement: its rows, in the memory that libpq received them in.
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

    /// Rows that the command inserted, updated, deleted or selected.
    public var affectedRows: Int { result.affectedRows }
    /// `INSERT 0 1`, `COMMIT` …
    public var commandTag: String { result.commandTag }
    public var columns: [String] { (0..<result.columnCount).map(result.columnName) }
}

/// One row. Decode by position: `try row.decode(Int64.self, at: 0)`, or all of it at once:
/// `let (id, head) = try row.decode((PostgresUUID, Int64).self)`.
public struct Row: Sendable {
    let result: ResultHandle
    let index: Int

    public var count: Int { result.columnCount }

    /// `column` must be one of the result's.
    public subscript(column: Int) -> Cell {
        precondition(column >= 0 && column < result.columnCount, "the result has no column \(column)")
        return Cell(
            result: result, bytes: result.value(row: index, column: column), type: result.columnType(column),
            format: result.columnFormat(column), column: column)
    }

    /// Errors: `decoding`, when there is no such column, or it holds no `Value`.
    public func decode<Value: PostgresDecodable>(
        _ type: Value.Type = Value.self, at column: Int
    ) throws(PostgresError) -> Value {
        guard column >= 0, column < count else {
            throw PostgresError(.decoding, "the result has \(count) columns, and no column \(column)")
        }
        return try Value.decode(self[column])
    }

    /// The first columns, in order, as a tuple.
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

    /// The value's bytes as the server sent them; nil for NULL. Nothing is copied; valid only inside `body`.
    public func withBytes<R>(at column: Int, _ body: (UnsafeRawBufferPointer?) -> R) -> R {
        self[column].withBytes(body)
    }
}
