/// The parameters and columns of a statement, as described by the server.
package struct StatementDescription: Hashable, Sendable {
    package struct Column: Hashable, Sendable {
        package let name: String
        package let type: UInt32
    }

    /// Object identifiers of the types of `$1`, `$2` …
    package let parameterTypes: [UInt32]
    package let columns: [Column]

    init(_ result: ResultHandle) {
        parameterTypes = result.parameterTypes
        columns = (0..<result.columnCount).map { column in
            Column(name: result.columnName(column), type: result.columnType(column))
        }
    }
}
