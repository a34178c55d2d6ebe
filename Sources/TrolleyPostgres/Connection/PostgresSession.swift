/// One connection to the server and its prepared statements. It runs one exchange at a time.
actor PostgresSession {
    let configuration: PostgresConfiguration
    let openedAt: ContinuousClock.Instant = .now
    private let handle: Handle
    private let canceller: Canceller
    /// The names under which statements are prepared on this connection.
    private var prepared: [Statement: String] = [:]
    private var preparedCount = 0
    /// What each transaction begins with.
    var transactionOpening: [Query] = []
    private var isRunning = false
    private(set) var isBroken = false
    /// The server has become read-only. A new connection may find a writable one.
    private var isReadOnly = false

    init(handle: Handle, canceller: Canceller, configuration: PostgresConfiguration) {
        self.handle = handle
        self.canceller = canceller
        self.configuration = configuration
    }

    /// Whether no transaction is open.
    var isIdle: Bool { handle.isIdle }
    var backendPID: Int32 { handle.backendPID }
    var serverVersion: Int { Int(handle.serverVersion) }

    /// False when the connection can't be lent again, as far as this process knows: it is broken, in a transaction, or running a
    /// statement.
    var isReusable: Bool { !isBroken && !isReadOnly && !isRunning && handle.isIdle }

    /// Whether the connection can be lent: it is reusable, and the server hasn't ended it. Costs no round trip, and one look at
    /// the socket if the server has sent nothing.
    func isAlive() -> Bool {
        guard isReusable, !handle.isBusy, !handle.isEnding else { return false }
        if handle.isQuiet { return true }
        // The first read may return the server's final message. Only the second one then finds the end of the stream,
        // if the server process has exited by then.
        return handle.consumeInput() && !handle.isBusy && !handle.isEnding && handle.consumeInput() && !handle.isBad
    }

    // MARK: Running

    /// Sends all queries at once, and returns the rows of each.
    func run(
        _ queries: [Query], timeout: Duration?, cancellable: Bool = true
    ) async throws(PostgresError) -> [Rows] {
        if queries.isEmpty { return [] }
        try begin(cancellable: cancellable)
        let start = ContinuousClock.now
        defer {
            isRunning = false
            configuration.times?.note(queries, took: ContinuousClock.now - start)
        }
        let parts = try send(queries)
        var exchange = Exchange(parts: parts.count)
        let (results, interruption) = try await perform(&exchange, timeout: timeout, cancellable: cancellable)
        try recordPreparedStatements(parts, exchange.outcomes)
        if let failed = exchange.outcomes.firstIndex(where: { $0 != .success }) {
            throw failure(of: parts[failed], result: results[failed], in: queries, interruption: interruption)
        }
        if handle.takeUnreplicated() { throw Self.unreplicated(interruption) }
        return zip(parts, results).compactMap { part, result in
            guard case .execute = part, let result else { return nil }
            return Rows(result)
        }
    }

    /// Begins a transaction, states its settings and runs `opening`, in one round trip.
    /// - Returns: the rows of `opening`.
    func begin(
        _ isolation: TransactionIsolation, opening: [Query], timeout: Duration?
    ) async throws(PostgresError) -> [Rows] {
        let first = [isolation.begin] + transactionOpening
        return Array(try await run(first + opening, timeout: timeout).dropFirst(first.count))
    }

    /// Runs any number of commands without binds, in the simple protocol.
    func run(script: String, timeout: Duration?) async throws(PostgresError) {
        try begin(cancellable: true)
        defer { isRunning = false }
        guard handle.exitPipelineMode(), handle.sendScript(script) else { throw lost() }
        var exchange = Exchange.script
        let (results, interruption) = try await perform(&exchange, timeout: timeout, cancellable: true)
        guard handle.enterPipelineMode() else { throw lost() }
        if exchange.outcomes[0] == .failure {
            throw interrupted(results[0]?.error ?? lost(), by: interruption)
        }
        if handle.takeUnreplicated() { throw Self.unreplicated(interruption) }
    }

    /// Has the server parse `sql`, and returns its description. The statement does not stay prepared.
    func describe(_ sql: String, timeout: Duration?) async throws(PostgresError) -> StatementDescription {
        try begin(cancellable: true)
        defer { isRunning = false }
        guard handle.sendPrepare(name: "", sql: sql, types: []), handle.sendDescribe(name: ""), handle.sendSync() else {
            throw lost()
        }
        var exchange = Exchange(parts: 2)
        let (results, interruption) = try await perform(&exchange, timeout: timeout, cancellable: true)
        if let failed = exchange.outcomes.firstIndex(where: { $0 != .success }) {
            throw interrupted(results[failed]?.error ?? lost(), by: interruption)
        }
        guard let result = results[1] else { throw lost() }
        return StatementDescription(result)
    }

    /// Rolls back an open transaction, also in a cancelled task. If that fails, the session stays in its transaction
    /// and isn't reusable.
    func rollBack() async {
        if handle.isIdle || isBroken { return }
        _ = try? await run([.rollback], timeout: nil, cancellable: false)
    }

    // MARK: Sending

    private enum Part {
        case prepare(query: Int, Statement, name: String)
        case execute(query: Int)

        var query: Int {
            switch self {
            case .prepare(let query, _, _), .execute(let query): query
            }
        }
    }

    private func begin(cancellable: Bool) throws(PostgresError) {
        if isBroken { throw PostgresError(.connectionLost, "the connection was already broken; nothing was sent") }
        if isRunning { throw PostgresError(.misuse, "the connection still runs another statement") }
        if cancellable, Task.isCancelled { throw PostgresError(.cancelled, "cancelled before anything was sent") }
        isRunning = true
    }

    /// Writes everything into libpq's buffer, which grows as needed.
    private func send(_ queries: [Query]) throws(PostgresError) -> [Part] {
        var parts: [Part] = []
        var new: [Statement: String] = [:]
        var isSent = true
        for (index, query) in queries.enumerated() {
            let binds = EncodedBinds(query.binds)
            guard let statement = query.statement, configuration.preparesStatements else {
                isSent = isSent && handle.sendQuery(query.sql, binds, resultFormat: query.resultFormat)
                parts.append(.execute(query: index))
                continue
            }
            let name: String
            if let known = prepared[statement] ?? new[statement] {
                name = known
            } else {
                preparedCount += 1
                // The server truncates names to 63 bytes, so the number comes first.
                name = "\(preparedCount)_\(statement.name)"
                new[statement] = name
                isSent = isSent && handle.sendPrepare(name: name, sql: query.sql, types: binds.types)
                parts.append(.prepare(query: index, statement, name: name))
            }
            isSent = isSent && handle.sendPrepared(name: name, binds, resultFormat: query.resultFormat)
            parts.append(.execute(query: index))
        }
        guard isSent, handle.sendSync() else { throw lost() }
        return parts
    }

    /// A statement stays prepared even if its transaction fails later.
    private func recordPreparedStatements(_ parts: [Part], _ outcomes: [Exchange.Outcome]) throws(PostgresError) {
        for (part, outcome) in zip(parts, outcomes) {
            if case .prepare(_, let statement, let name) = part, outcome == .success { prepared[statement] = name }
        }
    }

    // MARK: Waiting

    /// The server sends a large result 8 KiB at a time. After this many reads, a result counts as large.
    private static let readsBeforeCoalescing = 8

    private func perform(
        _ exchange: inout Exchange, timeout: Duration?, cancellable: Bool
    ) async throws(PostgresError) -> (results: [ResultHandle?], interruption: PostgresError.Kind?) {
        var results: [ResultHandle?] = Array(repeating: nil, count: exchange.outcomes.count)
        var interruption: PostgresError.Kind?
        let limit = timeout ?? configuration.statementTimeout
        var deadline = limit == .unlimited ? nil : ContinuousClock.now + limit
        var event = Exchange.Event.started
        // Reads of the socket since the last complete result.
        var reads = 0
        while true {
            switch exchange.next(event) {
            case .flush:
                switch handle.flush() {
                case .all: event = .flushed(everything: true)
                case .some: event = .flushed(everything: false)
                case .failed: event = .broke
                }
            case .wait(let interest):
                let outcome = await Readiness.shared.wait(
                    for: interest, on: handle.socket, until: deadline, cancellable: cancellable && interruption == nil,
                    after: reads, coalescing: reads > Self.readsBeforeCoalescing)
                if case .ready(let readable, let writable) = outcome {
                    event = .ready(readable: readable, writable: writable)
                    continue
                }
                let kind: PostgresError.Kind = outcome == .timedOut ? .statementTimedOut : .cancelled
                if let interruption { throw abandoned(interruption) }
                interruption = kind
                deadline = ContinuousClock.now + configuration.cancelTimeout
                // The server's response to the cancelled statement arrives here like any other.
                let cancel = { @Sendable [canceller] in canceller.cancel() }
                guard await Blocking.run(atMost: configuration.cancelTimeout, cancel) == true else {
                    throw abandoned(kind)
                }
                event = .ready(readable: true, writable: false)
            case .consume:
                event = handle.consumeInput() ? .consumed : .broke
                reads += 1
            case .takeResult:
                event = takeResult(exchange.current, into: &results)
                if case .result = event { reads = 0 }
            case .done:
                return (results, interruption)
            case .fail(let failure):
                throw lost(failure, last: results.lazy.compactMap { $0 }.last { $0.status == .failure })
            }
        }
    }

    private func takeResult(_ part: Int, into results: inout [ResultHandle?]) -> Exchange.Event {
        if handle.isBusy { return .busy }
        guard let result = handle.result() else { return handle.isBad ? .broke : .noResult }
        if part < results.count, results[part]?.status != .failure { results[part] = result }
        return handle.isBad ? .broke : .result(result.status)
    }

    // MARK: Failing

    private func lost(_ failure: Exchange.Failure = .connection, last: ResultHandle? = nil) -> PostgresError {
        isBroken = true
        if failure == .protocolViolation {
            return PostgresError(.connectionLost, "the server sent unexpected data, such as COPY data")
        }
        if var error = last?.error {
            error.kind = .connectionLost
            return error
        }
        let message = handle.errorMessage.trimmedLine
        return PostgresError(.connectionLost, message.isEmpty ? "the connection broke" : message)
    }

    private func abandoned(_ kind: PostgresError.Kind) -> PostgresError {
        isBroken = true
        return PostgresError(kind, "the server did not end the statement in time; the connection was closed")
    }

    private func interrupted(_ error: PostgresError, by interruption: PostgresError.Kind?) -> PostgresError {
        guard let interruption, error.sqlState == .queryCanceled else { return error }
        var error = error
        error.kind = interruption
        return error
    }

    /// A statement that is cancelled while its commit waits for a synchronous standby succeeds with a warning.
    private static func unreplicated(_ interruption: PostgresError.Kind?) -> PostgresError {
        PostgresError(
            interruption ?? .connectionLost,
            "committed on the primary, but no synchronous standby has confirmed it: a failover would lose it")
    }

    private func failure(
        of part: Part, result: ResultHandle?, in queries: [Query], interruption: PostgresError.Kind?
    ) -> PostgresError {
        var error = interrupted(result?.error ?? lost(), by: interruption)
        error.statement = queries[part.query].statement?.name
        error.pipelineIndex = part.query
        if error.sqlState == .readOnlyTransaction { isReadOnly = true }
        // A migration changed the columns of a prepared statement, or something deallocated it: prepare again.
        if error.sqlState == .featureNotSupported || error.sqlState == .invalidStatementName { prepared = [:] }
        return error
    }

    // MARK: Notifications

    /// Waits for the next notifications on the channels that this session listens to, until `deadline`.
    ///
    /// Errors: `connectionLost`; `cancelled` when the task is cancelled.
    func notifications(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> [Notification] {
        while true {
            guard handle.consumeInput(), !handle.isBusy, !handle.isBad else { throw lost() }
            var all: [Notification] = []
            while let (channel, payload) = handle.notification() {
                all.append(Notification(channel: channel, payload: payload))
            }
            if !all.isEmpty { return all }
            let outcome = await Readiness.shared.wait(
                for: .readable, on: handle.socket, until: deadline, cancellable: true)
            if outcome == .cancelled {
                throw PostgresError(.cancelled, "stopped listening")
            }
            if outcome == .timedOut { return [] }
        }
    }
}
