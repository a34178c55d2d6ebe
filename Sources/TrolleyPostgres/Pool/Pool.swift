internal import Synchronization

/// Lends connections to the database, at most `maximumConnections` at a time, and to each class of work at most its share
/// (``LeaseShares``).
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
        /// The use by each class of work.
        public var classes: [ClassStatistics] = []
    }

    public struct ClassStatistics: Hashable, Sendable {
        public var use: LeaseClass
        public var share: LeaseShares.Share
        /// Connections that are leased or being opened.
        public var busy: Int
        public var waiting: Int
    }

    public let configuration: PostgresConfiguration
    public let options: Options
    private let times: StatementTimes
    private let state: Mutex<Locked>

    private enum Grant {
        case connection(PostgresSession)
        /// Permission to open a connection.
        case openSlot
        case refused(PostgresError)
    }

    private struct Locked {
        var pool: PoolState<PostgresSession, Promise<Grant>>
        var lastWait = 0
        var backoff = Backoff(longest: .seconds(1))
        var opened = 0
        var failed = 0
        var lastFailure: PostgresError?
        var drained: [CheckedContinuation<Void, Never>] = []
    }

    /// - Parameter other: a pool that also counts this one's statements; nil: this one counts its own.
    public init(_ configuration: PostgresConfiguration, options: Options = Options(), countedBy other: Pool? = nil) {
        var configuration = configuration
        times = other?.times ?? StatementTimes()
        configuration.times = times
        self.configuration = configuration
        self.options = options
        state = Mutex(Locked(pool: PoolState(shares: LeaseShares(connections: options.maximumConnections))))
    }

    /// Lends a connection while `body` runs.
    ///
    /// Errors besides those of `body`: `acquireTimedOut`, `connectionFailed` (the server refuses permanently),
    /// `cancelled`, `closed`.
    /// - Parameters:
    ///   - use: the class of the work; nil: the task's ``LeaseClass/current``.
    ///   - statementTimeout: time-out of each round trip, instead of the configuration's.
    public nonisolated(nonsending) func withConnection<R>(
        for use: LeaseClass? = nil, statementTimeout: Duration? = nil, _ body: (Connection) async throws -> R
    ) async throws -> R {
        let use = use ?? .current
        let session = try await acquire(use)
        let connection = Connection(session, statementTimeout: statementTimeout)
        do {
            let answer = try await body(connection)
            connection.revoke()
            await release(session, use)
            return answer
        } catch {
            connection.revoke()
            await release(session, use)
            throw error
        }
    }

    /// Runs `body` in a transaction: COMMIT when it returns, ROLLBACK when it throws.
    ///
    /// A COMMIT that ends with `connectionLost`, or with a time-out that has no SQLSTATE, may have taken effect.
    /// - Parameters:
    ///   - use: the class of the work; nil: the task's ``LeaseClass/current``.
    ///   - statementTimeout: time-out of each round trip, instead of the configuration's.
    public nonisolated(nonsending) func withTransaction<R>(
        for use: LeaseClass? = nil, isolation: TransactionIsolation = .readCommitted,
        statementTimeout: Duration? = nil, _ body: (Connection) async throws -> R
    ) async throws -> R {
        try await withTransaction(for: use, isolation: isolation, statementTimeout: statementTimeout, opening: []) {
            connection, _ in (try await body(connection), [])
        }
    }

    /// Runs `body` in a transaction that begins and ends in the same round trips as its first and last commands.
    /// - Parameters:
    ///   - opening: commands to send with BEGIN. `body` gets the rows of each.
    ///   - body: answers also with the commands to send with COMMIT. When it throws, the transaction is rolled back.
    public nonisolated(nonsending) func withTransaction<R>(
        for use: LeaseClass? = nil, isolation: TransactionIsolation = .readCommitted,
        statementTimeout: Duration? = nil, opening: [Query],
        _ body: (Connection, [Rows]) async throws -> (answer: R, closing: [Query])
    ) async throws -> R {
        try await withConnection(for: use, statementTimeout: statementTimeout) { connection in
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
                maximum: state.pool.shares.connections, busy: state.pool.busy, idle: state.pool.idleCount,
                waiting: state.pool.waitingCount, opened: state.opened, failed: state.failed,
                roundTrips: times.roundTrips,
                classes: LeaseClass.allCases.map { use in
                    ClassStatistics(
                        use: use, share: state.pool.shares[use], busy: state.pool.busy(use),
                        waiting: state.pool.waiting(use))
                })
        }
    }

    /// The times of statements, by name, since the last call.
    public func takeStatementTimes() -> [StatementTimes.Entry] { times.take() }

    /// Refuses new leases, and returns when the last lease has ended.
    public func close() async {
        let (_, waiters) = state.withLock { $0.pool.close() }
        for waiter in waiters { waiter.fulfill(.refused(Self.closed)) }
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
    private func acquire(_ use: LeaseClass) async throws(PostgresError) -> PostgresSession {
        let deadline = ContinuousClock.now + options.acquireTimeout
        switch await grant(use, until: deadline) {
        case .refused(let error): throw error
        case .openSlot: return try await open(use, until: deadline)
        case .connection(let session):
            if await session.isAlive() { return session }
            // The caller keeps its place in the pool.
            return try await open(use, until: deadline)
        }
    }

    /// Opens a connection in a place that the caller holds. Releases the place on failure.
    private func open(
        _ use: LeaseClass, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> PostgresSession {
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
                    end(nil, use)
                    throw error
                }
                do { try await Task.sleep(for: pause) } catch {
                    end(nil, use)
                    throw PostgresError(.cancelled, "cancelled while waiting for a connection")
                }
            }
        }
    }

    private func grant(_ use: LeaseClass, until deadline: ContinuousClock.Instant) async -> Grant {
        let (granted, wait) = state.withLock { state -> (Grant?, (id: Int, promise: Promise<Grant>)?) in
            switch state.pool.lease(use) {
            case .reuse(let session): return (.connection(session), nil)
            case .open: return (.openSlot, nil)
            case .closed: return (.refused(Self.closed), nil)
            case .wait:
                state.lastWait += 1
                let promise = Promise<Grant>()
                state.pool.wait(id: state.lastWait, use, promise)
                return (nil, (state.lastWait, promise))
            }
        }
        guard let wait else { return granted ?? .refused(Self.closed) }
        let timer = Task {
            try await Task.sleep(until: deadline, clock: .continuous)
            stopWaiting(wait.id, use, .acquireTimedOut)
        }
        defer { timer.cancel() }
        return await wait.promise.value { self.stopWaiting(wait.id, use, .cancelled) }
    }

    private func stopWaiting(_ id: Int, _ use: LeaseClass, _ kind: PostgresError.Kind) {
        let (waiter, reason) = state.withLock { state in (state.pool.stopWaiting(id: id), state.lastFailure) }
        guard let waiter else { return }
        let busy = "all \(options.maximumConnections) connections are in use, or all that \(use) may use"
        let message = kind == .cancelled ? "cancelled while waiting for a connection" : reason?.message ?? busy
        waiter.fulfill(.refused(PostgresError(kind, message, sqlState: reason?.sqlState)))
    }

    private func release(_ session: PostgresSession, _ use: LeaseClass) async {
        let isYoung = ContinuousClock.now - session.openedAt < options.maximumAge
        if isYoung, await session.isReusable {
            act(state.withLock { $0.pool.release(session, use) })
        } else {
            end(session, use)
        }
    }

    /// Ends a lease whose connection can't be lent again.
    private func end(_ session: PostgresSession?, _ use: LeaseClass) {
        if let release = state.withLock({ $0.pool.discard(session, use) }) { act(release) } else { resumeDrained() }
    }

    private func act(_ release: PoolState<PostgresSession, Promise<Grant>>.Release) {
        switch release {
        case .idle: break
        // A session closes when its last reference is released.
        case .drop: resumeDrained()
        case .pass(let session, let waiter): waiter.fulfill(.connection(session))
        case .replace(_, let waiter): waiter.fulfill(.openSlot)
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
