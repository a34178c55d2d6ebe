/// SQL that is a constant of the program. Each connection prepares it when it first runs it.
public struct Statement: Hashable, Sendable {
    /// Shows in errors and in `pg_prepared_statements`.
    public let name: String
    /// One command, with its binds written `$1`, `$2` …
    public let sql: String

    public init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }

    /// By the name alone: it is short, and few statements share one.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}
