/// The parameters and columns of a statement, as described by the server.
public struct StatementDescription: Hashable, Sendable {
    public struct Column: Hashable, Sendable {
        public let name: String
        public let type: UInt32
    }

    /// Object identifiers of the types of `$1`, `$2` …
    public let parameterTypes: [UInt32]
    public let columns: [Column]

    init(_ result: ResultHandle) {
        parameterTypes = result.parameterTypes
        columns = (0..<result.columnCount).map { column in
            Column(name: result.columnName(column), type: result.columnType(column))
        }
    }
}
