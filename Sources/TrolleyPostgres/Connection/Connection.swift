internal import Synchronization

/// A connection leased to one borrower, valid only inside `Pool.withConnection` or `withTransaction`.
///
/// It runs one statement at a time. A second call while one is running, and any call after the lease, throws `misuse`.
/// When the task is cancelled or a time-out passes, the statement is cancelled on the server, and the call throws once
/// the server has ended the statement. If the statement finished first, the call returns its result. Exception: if it
/// had committed and then stopped waiting for its synchronous standbys, the call throws.
public final class Connection: Sendable {
    private let session: Mutex<PostgresSession?>
    /// Overrides the configuration's time-out for this lease.
    private let statementTimeout: Duration?

    init(_ session: PostgresSession, statementTimeout: Duration? = nil) {
        self.session = Mutex(session)
        self.statementTimeout = statementTimeout
    }

    /// Connects outside any pool. The connection closes with its last reference.
    public static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> Connection {
        Connection(try await PostgresSession.connect(configuration))
    }

    /// Runs a statement, and prepares it first if this connection hasn't done so yet.
    ///
    /// - Parameter timeout: overrides the `statementTimeout` of the lease and of the configuration.
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

    /// Runs several commands in one round trip, in order, and returns the rows of each.
    ///
    /// Outside a transaction the commands are atomic: all take effect, or none (unless `.begin` and `.commit` are among
    /// them). When a command fails, the error's `pipelineIndex` names it, and the commands after it don't run. A
    /// transaction that the pipeline itself began is rolled back.
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

    /// Runs any number of commands, separated by semicolons and without binds, such as a migration. Outside a
    /// transaction they form one transaction.
    public func run(script: String, timeout: Duration? = nil) async throws(PostgresError) {
        try await leased().run(script: script, timeout: timeout ?? statementTimeout)
    }

    /// Has the server parse `sql` without running it. Returns the types of its parameters and columns; throws if `sql`
    /// doesn't fit the schema.
    public func describe(_ sql: String, timeout: Duration? = nil) async throws(PostgresError) -> StatementDescription {
        try await leased().describe(sql, timeout: timeout ?? statementTimeout)
    }

    /// Has the server parse `sql` without running it.
    /// - Returns: the object identifiers of the parameters' types.
    @discardableResult
    public func prepare(_ sql: String) async throws(PostgresError) -> [UInt32] {
        try await describe(sql).parameterTypes
    }

    /// The process id of the server's backend.
    public var backendPID: Int32 {
        get async throws(PostgresError) { try await leased().backendPID }
    }

    /// The server's version as in `server_version_num`: 150018 for 15.18.
    public var serverVersion: Int {
        get async throws(PostgresError) { try await leased().serverVersion }
    }

    /// Runs `body` between BEGIN and COMMIT; ROLLBACK if it throws.
    /// - Parameters:
    ///   - opening: commands that go with BEGIN, in one round trip. `body` gets their rows.
    ///   - body: also returns the commands that go with COMMIT, in one round trip.
    nonisolated(nonsending) func transaction<R>(
        _ isolation: TransactionIsolation, opening: [Query],
        _ body: (Connection, [Rows]) async throws -> (answer: R, closing: [Query])
    ) async throws -> R {
        let session = try leased()
        do {
            let opened = try await session.begin(isolation, opening: opening, timeout: statementTimeout)
            let (answer, closing) = try await body(self, opened)
            let rows = try await session.run(closing + [.commit], timeout: statementTimeout)
            // The server answers COMMIT with ROLLBACK when an earlier statement of the transaction has failed.
            if rows.last?.commandTag == "ROLLBACK" {
                throw PostgresError(
                    .server, "an earlier statement failed; nothing was committed", sqlState: .inFailedTransaction)
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

    private func leased() throws(PostgresError) -> PostgresSession {
        guard let session = session.withLock({ $0 }) else {
            throw PostgresError(.misuse, "the lease of this connection has ended")
        }
        return session
    }
}

/// Isolation from other transactions.
public enum TransactionIsolation: String, Sendable, CaseIterable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
    /// Reads one snapshot, and can't write.
    case readOnly = "REPEATABLE READ READ ONLY"

    var begin: Query {
        Query(Statement(name: "begin", sql: "BEGIN ISOLATION LEVEL \(rawValue)"))
    }
}
