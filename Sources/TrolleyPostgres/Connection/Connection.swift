internal import Synchronization

/// A connection, leased to one borrower: inside `Pool.withConnection` or `withTransaction` and no longer.
///
/// It does one thing at a time. A second call while one is running, and any call after the lease, throws `misuse`.
/// When the task is cancelled, or a time-out passes, the statement is cancelled on the server, and the call throws
/// once the server has ended it. If the server was faster, the call answers as if nothing had happened, unless it had
/// committed and then given up waiting for its synchronous standbys: that call throws.
public final class Connection: Sendable {
    private let session: Mutex<Session?>
    /// Instead of the configuration's, for this lease.
    private let statementTimeout: Duration?

    init(_ session: Session, statementTimeout: Duration? = nil) {
        self.session = Mutex(session)
        self.statementTimeout = statementTimeout
    }

    /// Connects outside any pool. The connection closes when nobody holds it any more.
    public static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> Connection {
        Connection(try await Session.connect(configuration))
    }

    /// Runs a statement, which is prepared if this connection hasn't seen it before.
    ///
    /// `timeout`: instead of the lease's, or the configuration's, `statementTimeout`.
    @discardableResult
    public func execute(
        _ statement: Statement, _ binds: [any PostgresEncodable] = [], timeout: Duration? = nil
    ) async throws(PostgresError) -> Rows {
        try await execute(Query(statement, binds), timeout: timeout)
    }

    /// Runs one command: `try await connection.execute("SELECT head FROM list WHERE list_id = \(id)")`.
    @discardableResult
    public func execute(_ query: Query, timeout: Duration? = nil) async throws(PostgresError) -> Rows {
        do {
            let answers = try await leased().run([query], timeout: timeout ?? statementTimeout)
            return answers[0]
        } catch {
            var error = error
            error.pipelineIndex = nil
            throw error
        }
    }

    /// Runs several commands in one round trip, in order, and answers with the rows of each.
    ///
    /// Outside a transaction they are one: all take effect, or none (unless `.begin` and `.commit` stand among them).
    /// When one fails, the error's `pipelineIndex` says which; those after it don't run, and a transaction that the
    /// pipeline itself began is rolled back.
    @discardableResult
    public func pipeline(_ queries: [Query], timeout: Duration? = nil) async throws(PostgresError) -> [Rows] {
        let session = try leased()
        let wasIdle = await session.isIdle
        do {
            return try await session.run(queries, timeout: timeout ?? statementTimeout)
        } catch {
            if wasIdle, await !session.isIdle { await session.rollBack() }
            throw error
        }
    }

    /// Runs any number of commands, separated by semicolons and without binds: a migration. Outside a transaction they
    /// are one transaction.
    public func run(script: String, timeout: Duration? = nil) async throws(PostgresError) {
        try await leased().run(script: script, timeout: timeout ?? statementTimeout)
    }

    /// Lets the server parse `sql` without running it: whether it fits the schema, and which types it has.
    public func describe(_ sql: String, timeout: Duration? = nil) async throws(PostgresError) -> StatementDescription {
        try await leased().describe(sql, timeout: timeout ?? statementTimeout)
    }

    /// The object identifiers of the parameters' types of `sql`, which is parsed and not run.
    @discardableResult
    public func prepare(_ sql: String) async throws(PostgresError) -> [UInt32] {
        try await describe(sql).parameterTypes
    }

    /// Process id of the server's side.
    public var backendPID: Int32 {
        get async throws(PostgresError) { try await leased().backendPID }
    }

    /// As `server_version_num`: 150018 for 15.18.
    public var serverVersion: Int {
        get async throws(PostgresError) { try await leased().serverVersion }
    }

    /// BEGIN, COMMIT and ROLLBACK around `body`.
    nonisolated(nonsending) func transaction<R>(
        _ isolation: TransactionIsolation, _ body: (Connection) async throws -> R
    ) async throws -> R {
        let session = try leased()
        _ = try await session.run([isolation.begin], timeout: statementTimeout)
        do {
            let answer = try await body(self)
            let rows = try await session.run([.commit], timeout: statementTimeout)
            // That is how the server answers a COMMIT after a statement that failed.
            if rows[0].commandTag == "ROLLBACK" {
                throw PostgresError(
                    .server, "a statement failed before; nothing was committed", sqlState: .inFailedTransaction)
            }
            return answer
        } catch {
            await session.rollBack()
            throw error
        }
    }

    /// Ends the lease.
    func revoke() {
        session.withLock { $0 = nil }
    }

    private func leased() throws(PostgresError) -> Session {
        guard let session = session.withLock({ $0 }) else {
            throw PostgresError(.misuse, "the lease of this connection has ended")
        }
        return session
    }
}

/// How a transaction sees the others.
public enum TransactionIsolation: String, Sendable, CaseIterable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
    /// One snapshot, nothing written.
    case readOnly = "REPEATABLE READ READ ONLY"

    var begin: Query {
        Query(Statement(name: "begin", sql: "BEGIN ISOLATION LEVEL \(rawValue)"))
    }
}
