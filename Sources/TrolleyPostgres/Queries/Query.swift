/// SQL that is a constant of the program. Each connection prepares it when it first runs it.
package struct Statement: Hashable, Sendable {
    /// Shows in errors and in `pg_prepared_statements`.
    package let name: String
    /// One command, with its binds written `$1`, `$2` …
    package let sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}

/// One command and its binds.
///
/// A literal's interpolated values become binds, so there is no quoting: `"SELECT \(name)::text"` is `SELECT $1::text`.
/// A `Query` made from a `Statement` is prepared; a literal is parsed each time.
package struct Query: Sendable, ExpressibleByStringInterpolation {
    package internal(set) var sql: String
    package internal(set) var binds: [any PostgresEncodable]
    /// Set when the command is prepared before it runs.
    package let statement: Statement?
    package var resultFormat: PostgresFormat = .binary

    package init(_ statement: Statement, _ binds: [any PostgresEncodable] = []) {
        self.sql = statement.sql
        self.binds = binds
        self.statement = statement
    }

    /// SQL from a variable. The caller guarantees that it contains nothing from outside the program.
    package init(unescaped sql: String, _ binds: [any PostgresEncodable] = []) {
        self.sql = sql
        self.binds = binds
        self.statement = nil
    }

    package init(stringLiteral value: String) {
        self.init(unescaped: value)
    }

    package init(stringInterpolation: Interpolation) {
        self.init(unescaped: stringInterpolation.sql, stringInterpolation.binds)
    }

    /// The same as `init(_:_:)`, for use in `pipeline`.
    package static func execute(_ statement: Statement, _ binds: [any PostgresEncodable] = []) -> Query {
        Query(statement, binds)
    }

    package static let begin = Query(Statement(name: "begin", sql: "BEGIN"))
    /// Begins a transaction that reads one snapshot and can't write.
    package static let beginSnapshot = TransactionIsolation.readOnly.begin
    package static let commit = Query(Statement(name: "commit", sql: "COMMIT"))
    package static let rollback = Query(Statement(name: "rollback", sql: "ROLLBACK"))

    package struct Interpolation: StringInterpolationProtocol, Sendable {
        var sql = ""
        var binds: [any PostgresEncodable] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + 3 * interpolationCount)
            binds.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            sql += literal
        }

        package mutating func appendInterpolation(_ value: some PostgresEncodable) {
            binds.append(value)
            sql += "$\(binds.count)"
        }

        package mutating func appendInterpolation(_ value: (some PostgresEncodable)?) {
            binds.append(value)
            sql += "$\(binds.count)"
        }

        /// Raw SQL. The caller guarantees that it contains nothing from outside the program.
        package mutating func appendInterpolation(unescaped text: String) {
            sql += text
        }
    }
}
