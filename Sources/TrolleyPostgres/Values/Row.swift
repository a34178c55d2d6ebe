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
