internal import Synchronization

/// Lends connections to the database, at most `maximumConnections` at a time.
///
/// The pool has no background task. A borrower opens a connection when none is idle. A connection is checked before it
/// is lent again, and closed when its state is unknown. While the server is unavailable, borrowers retry with
/// exponential backoff until their `acquireTimeout`.
public final class Pool: Sendable {
    public struct Options: Sendable {
        public var maximumConnections = 16
        /// How long a caller waits for a connection, including attempts to open one.
        public var acquireTimeout: Duration = .seconds(10)
        /// A connection older than this is replaced when it is returned.
        public var maximumAge: Duration = .seconds(3600)

        public init() {}
    }

    public struct Statistics: Hashable, Sendable {
        public var maximum = 0
        /// Connections that are leased or being opened.
        public var busy = 0
        public var idle = 0
        public var waiting = 0
        /// Connections opened, and failed attempts to open one, since the pool was made.
        public var opened = 0
        public var failed = 0
        /// Round trips of statements and pipelines since the pool was made.
        public var roundTrips = 0
    }

    public let configuration: PostgresConfiguration
    public let options: Options
    private let times = StatementTimes()
    private let state: Mutex<Locked>

    private enum Grant {
        case connection(PostgresSession)
        /// Permission to open a connection.
        case openSlot
        case refused(PostgresError)
    }

    private struct Locked {
        var pool: PoolState<PostgresSession, CheckedContinuation<Grant, Never>>
        var lastWait = 0
        var cancelledWaits: Set<Int> = []
        var backoff = Backoff(longest: .seconds(1))
        var opened = 0
        var failed = 0
        var lastFailure: PostgresError?
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    public init(_ configuration: PostgresConfiguration, options: Options = Options()) {
        var configuration = configuration
        configuration.times = times
        self.configuration = configuration
        self.options = options
        state = Mutex(Locked(pool: PoolState(limit: max(1, options.maximumConnections))))
    }

    /// Lends a connection while `body` runs.
    ///
    /// Errors besides those of `body`: `acquireTimedOut`, `connectionFailed` (the server refuses permanently),
    /// `cancelled`, `closed`.
    /// - Parameter statementTimeout: time-out of each round trip, instead of the configuration's.
    public nonisolated(nonsending) func withConnection<R>(
        statementTimeout: Duration? = nil, _ body: (Connection) async throws -> R
    ) async throws -> R {
        let session = try await acquire()
        let connection = Connection(session, statementTimeout: statementTimeout)
        do {
            let answer = try await body(connection)
            connection.revoke()
            await release(session)
            return answer
        } catch {
            connection.revoke()
            await release(session)
            throw error
        }
    }

    /// Runs `body` in a transaction: COMMIT when it returns, ROLLBACK when it throws.
    ///
    /// A COMMIT that ends with `connectionLost`, or with a time-out that has no SQLSTATE, may have taken effect.
    /// - Parameter statementTimeout: time-out of each round trip, instead of the configuration's.
    public nonisolated(nonsending) func withTransaction<R>(
        isolation: TransactionIsolation = .readCommitted, statementTimeout: Duration? = nil,
        _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await withTransaction(isolation: isolation, statementTimeout: statementTimeout, opening: []) {
            connection, _ in (try await body(connection), [])
        }
    }

    /// Runs `body` in a transaction that begins and ends in the same round trips as its first and last commands.
    /// - Parameters:
    ///   - opening: commands to send with BEGIN. `body` gets the rows of each.
    ///   - body: answers also with the commands to send with COMMIT. When it throws, the transaction is rolled back.
    public nonisolated(nonsending) func withTransaction<R>(
        isolation: TransactionIsolation = .readCommitted, statementTimeout: Duration? = nil, opening: [Query],
        _ body: (Connection, [Rows]) async throws -> (answer: R, closing: [Query])
    ) async throws -> R {
        try await withConnection(statementTimeout: statementTimeout) { connection in
            try await connection.transaction(isolation, opening: opening, body)
        }
    }

    /// Makes a round trip to the server. Throws if the server can't answer.
    public func checkHealth() async throws {
        try await withConnection { connection in _ = try await connection.execute("SELECT 1", timeout: .seconds(5)) }
    }

    public var statistics: Statistics {
        state.withLock { state in
            Statistics(
                maximum: state.pool.limit, busy: state.pool.busy, idle: state.pool.idleCount,
                waiting: state.pool.waitingCount, opened: state.opened, failed: state.failed,
                roundTrips: times.roundTrips)
        }
    }

    /// The times of statements, by name, since the last call.
    public func takeStatementTimes() -> [StatementTimes.Entry] { times.take() }

    /// Refuses new leases, and returns when the last lease has ended.
    public func close() async {
        let (_, waiters) = state.withLock { $0.pool.close() }
        for waiter in waiters { waiter.resume(returning: .refused(Self.closed)) }
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if state.pool.busy == 0 { return true }
                state.drained.append(continuation)
                return false
            }
            if isDrained { continuation.resume() }
        }
    }

    private static var closed: PostgresError { PostgresError(.closed, "the connection pool is closed") }
}

// MARK: - Lending

extension Pool {
    private func acquire() async throws(PostgresError) -> PostgresSession {
        let deadline = ContinuousClock.now + options.acquireTimeout
        while true {
            var grant: Grant
            switch state.withLock({ $0.pool.lease() }) {
            case .reuse(let session): grant = .connection(session)
            case .open: grant = .openSlot
            case .closed: throw Self.closed
            case .wait: grant = await wait(until: deadline)
            }
            switch grant {
            case .refused(let error): throw error
            case .openSlot: return try await open(until: deadline)
            case .connection(let session):
                if await session.isReusable() { return session }
                // The caller keeps its place in the pool.
                return try await open(until: deadline)
            }
        }
    }

    /// Opens a connection in a place that the caller holds. Releases the place on failure.
    private func open(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> PostgresSession {
        while true {
            do {
                let session = try await PostgresSession.connect(configuration)
                state.withLock { state in
                    state.opened += 1
                    state.backoff.reset()
                    state.lastFailure = nil
                }
                return session
            } catch {
                let pause = state.withLock { state in
                    state.failed += 1
                    state.lastFailure = error
                    return state.backoff.next(random: .random(in: 0..<1))
                }
                let isOver = !error.isWorthRetrying || ContinuousClock.now + pause >= deadline
                if isOver || state.withLock({ $0.pool.isClosed }) {
                    end(nil)
                    throw error
                }
                do { try await Task.sleep(for: pause) } catch {
                    end(nil)
                    throw PostgresError(.cancelled, "cancelled while waiting for a connection")
                }
            }
        }
    }

    private func wait(until deadline: ContinuousClock.Instant) async -> Grant {
        let id = state.withLock { state in
            state.lastWait += 1
            return state.lastWait
        }
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            stopWaiting(id, .acquireTimedOut)
        }
        defer {
            timer.cancel()
            state.withLock { _ = $0.cancelledWaits.remove(id) }
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A connection may have come back between `lease` and here, so ask again under the same lock.
                let grant: Grant? = state.withLock { state in
                    if state.cancelledWaits.remove(id) != nil {
                        return .refused(PostgresError(.cancelled, "cancelled while waiting for a connection"))
                    }
                    switch state.pool.lease() {
                    case .reuse(let session): return .connection(session)
                    case .open: return .openSlot
                    case .closed: return .refused(Self.closed)
                    case .wait:
                        state.pool.wait(id: id, continuation)
                        return nil
                    }
                }
                if let grant { continuation.resume(returning: grant) }
            }
        } onCancel: {
            stopWaiting(id, .cancelled)
        }
    }

    private func stopWaiting(_ id: Int, _ kind: PostgresError.Kind) {
        let (waiter, reason) = state.withLock { state in
            let waiter = state.pool.stopWaiting(id: id)
            if waiter == nil, kind == .cancelled { state.cancelledWaits.insert(id) }
            return (waiter, state.lastFailure)
        }
        let busy = "all \(options.maximumConnections) connections are in use"
        let message = kind == .cancelled ? "cancelled while waiting for a connection" : reason?.message ?? busy
        waiter?.resume(returning: .refused(PostgresError(kind, message, sqlState: reason?.sqlState)))
    }

    private func release(_ session: PostgresSession) async {
        let isYoung = ContinuousClock.now - session.openedAt < options.maximumAge
        if isYoung, await session.isReusable() {
            act(state.withLock { $0.pool.release(session) })
        } else {
            end(session)
        }
    }

    /// Ends a lease whose connection can't be lent again.
    private func end(_ session: PostgresSession?) {
        if let release = state.withLock({ $0.pool.discard(session) }) { act(release) } else { resumeDrained() }
    }

    private func act(_ release: PoolState<PostgresSession, CheckedContinuation<Grant, Never>>.Release) {
        switch release {
        case .idle: break
        // A session closes when its last reference is released.
        case .drop: resumeDrained()
        case .pass(let session, let waiter): waiter.resume(returning: .connection(session))
        case .replace(_, let waiter): waiter.resume(returning: .openSlot)
        }
    }

    private func resumeDrained() {
        let drained = state.withLock { state in
            guard state.pool.isClosed, state.pool.busy == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.drained = [] }
            return state.drained
        }
        for continuation in drained { continuation.resume() }
    }
}

extension PostgresError {
    /// False for a permanent refusal, such as a wrong password or a database that doesn't exist.
    var isWorthRetrying: Bool {
        guard kind == .connectionFailed else { return false }
        return switch sqlState?.errorClass {
        case "28", "3D", "42": false
        default: true
        }
    }
}
