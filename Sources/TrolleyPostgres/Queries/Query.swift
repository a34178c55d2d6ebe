/// One command and its binds.
///
/// A literal's interpolated values become binds, so there is no quoting: `"SELECT \(name)::text"` is `SELECT $1::text`.
/// A `Query` made from a `Statement` is prepared; a literal is parsed each time.
public struct Query: Sendable, ExpressibleByStringInterpolation {
    public internal(set) var sql: String
    public internal(set) var binds: [any PostgresEncodable]
    /// Set when the command is prepared before it runs.
    public let statement: Statement?
    public var resultFormat: PostgresFormat = .binary

    public init(_ statement: Statement, _ binds: [any PostgresEncodable] = []) {
        self.sql = statement.sql
        self.binds = binds
        self.statement = statement
    }

    /// SQL from a variable. The caller guarantees that it contains nothing from outside the program.
    public init(unescaped sql: String, _ binds: [any PostgresEncodable] = []) {
        self.sql = sql
        self.binds = binds
        self.statement = nil
    }

    public init(stringLiteral value: String) {
        self.init(unescaped: value)
    }

    public init(stringInterpolation: Interpolation) {
        self.init(unescaped: stringInterpolation.sql, stringInterpolation.binds)
    }

    /// The same as `init(_:_:)`, for use in `pipeline`.
    public static func execute(_ statement: Statement, _ binds: [any PostgresEncodable] = []) -> Query {
        Query(statement, binds)
    }

    public static let begin = Query(Statement(name: "begin", sql: "BEGIN"))
    /// Begins a transaction that reads one snapshot and can't write.
    public static let beginSnapshot = TransactionIsolation.readOnly.begin
    public static let commit = Query(Statement(name: "commit", sql: "COMMIT"))
    public static let rollback = Query(Statement(name: "rollback", sql: "ROLLBACK"))

    public struct Interpolation: StringInterpolationProtocol, Sendable {
        var sql = ""
        var binds: [any PostgresEncodable] = []

        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.reserveCapacity(literalCapacity + 3 * interpolationCount)
            binds.reserveCapacity(interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) {
            sql += literal
        }

        public mutating func appendInterpolation(_ value: some PostgresEncodable) {
            binds.append(value)
            sql += "$\(binds.count)"
        }

        public mutating func appendInterpolation(_ value: (some PostgresEncodable)?) {
            binds.append(value)
            sql += "$\(binds.count)"
        }

        /// Raw SQL. The caller guarantees that it contains nothing from outside the program.
        public mutating func appendInterpolation(unescaped text: String) {
            sql += text
        }
    }
}
