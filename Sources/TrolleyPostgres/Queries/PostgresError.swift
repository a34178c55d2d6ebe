/// An error in talking to PostgreSQL.
///
/// `description` is safe to log: it never contains a bind, the server's `DETAIL` (which quotes rows), or the message of
/// a data exception (class 22, which quotes the value).
public struct PostgresError: Error, Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
        /// The server rejected a statement; `sqlState` says why. The connection remains usable.
        case server
        /// No connection could be made. Nothing was sent.
        case connectionFailed
        /// The connection broke while a statement ran. Whether the statement (or a COMMIT) took effect is unknown.
        case connectionLost
        /// A statement exceeded its time-out and was cancelled on the server.
        case statementTimedOut
        /// No connection of the pool became free in time. Nothing was sent.
        case acquireTimedOut
        /// The task was cancelled, and the statement was cancelled on the server.
        case cancelled
        /// A column doesn't contain a value of the requested type.
        case decoding
        /// A second statement on a connection that still runs one, or a use after the lease has ended.
        case misuse
        /// The pool is closed.
        case closed
        /// The connection string can't be read.
        case configuration
    }

    public var kind: Kind
    public var message: String
    /// Set when the server answered; `kind` is then `server`, `connectionFailed`, `statementTimedOut` or `cancelled`.
    public var sqlState: SQLState?
    /// The server's `DETAIL`. It quotes data, so don't log it.
    public var detail: String?
    /// The server's `CONTEXT`: the work in which the error arose. It may quote data, so don't log it.
    public var context: String?
    public var hint: String?
    public var constraint: String?
    public var schema: String?
    public var table: String?
    public var column: String?
    /// The name of the `Statement`, if it has one.
    public var statement: String?
    /// In a pipeline: the index of the query that failed, from 0. The queries after it did not run.
    public var pipelineIndex: Int?

    public init(_ kind: Kind, _ message: String, sqlState: SQLState? = nil) {
        self.kind = kind
        self.message = message
        self.sqlState = sqlState
    }

    /// True when the same transaction may succeed if it is run again from its start: a lost race, a server that is away
    /// for a moment, or one that lacks a resource. After `connectionLost` the first run may have taken effect, so the
    /// transaction must be idempotent.
    public var isTransient: Bool {
        switch kind {
        case .connectionFailed, .connectionLost, .acquireTimedOut: true
        case .server: sqlState?.isTransient ?? false
        case .statementTimedOut, .cancelled, .decoding, .misuse, .closed, .configuration: false
        }
    }
}

extension PostgresError: CustomStringConvertible {
    public var description: String {
        var parts = ["PostgreSQL: \(kind.rawValue)"]
        if let sqlState { parts.append("SQLSTATE \(sqlState)") }
        if sqlState?.errorClass != "22" { parts.append(message) }
        if let statement { parts.append("statement \(statement)") }
        if let table { parts.append("table \(table)") }
        if let constraint { parts.append("constraint \(constraint)") }
        return parts.joined(separator: ", ")
    }
}
