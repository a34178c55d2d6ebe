extension Session {
    /// Errors: `connectionFailed`, with the SQLSTATE if the server itself refused; `cancelled`.
    static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> Session {
        let deadline = ContinuousClock.now + configuration.connectTimeout
        let parameters = configuration.parameters
        // Off the pool: libpq looks host names up in this call, and waits for the answer.
        let started = await Blocking.run(atMost: configuration.connectTimeout) { Handle.start(parameters) }
        guard let handle = started ?? nil else {
            throw PostgresError(.connectionFailed, "no answer from \(configuration.location), not even an address")
        }
        handle.setVerbose(true)
        var interest = Exchange.Interest.writable
        polling: while true {
            if handle.isBad { throw refusal(handle, configuration) }
            // libpq changes its socket while it tries addresses, so each wait looks afresh.
            switch await Readiness.shared.wait(
                for: interest, on: handle.socket, until: deadline, cancellable: true)
            {
            case .ready: break
            case .timedOut:
                throw PostgresError(.connectionFailed, "no answer from \(configuration.location) in time")
            case .cancelled:
                throw PostgresError(.cancelled, "cancelled while connecting")
            }
            switch handle.connectPoll() {
            case .readable: interest = .readable
            case .writable: interest = .writable
            case .connected: break polling
            case .failed: throw refusal(handle, configuration)
            }
        }
        handle.setVerbose(false)
        guard handle.setNonblocking(), handle.enterPipelineMode(), let canceller = handle.canceller() else {
            throw refusal(handle, configuration)
        }
        let session = Session(handle: handle, canceller: canceller, configuration: configuration)
        if configuration.preparesStatements {
            _ = try await session.run([planOnce], timeout: configuration.connectTimeout)
        }
        return session
    }

    // Statements are constants, and are planned once: to plan anew for each array that is bound costs more than to run most
    // of them. They go by their indexes, one row after the other, also where that is not the quickest: a plan is made while
    // tables may still be empty, and must be right when they are not (`docs/decisions/1501`).
    private static let planOnce: Query = """
        SELECT
            set_config('plan_cache_mode', 'force_generic_plan', false),
            set_config('enable_seqscan', 'off', false),
            set_config('enable_hashjoin', 'off', false),
            set_config('enable_mergejoin', 'off', false),
            -- Would copy what is read of each list, for another list that has the same id.
            set_config('enable_memoize', 'off', false)
        """

    private static func refusal(_ handle: Handle, _ configuration: PostgresConfiguration) -> PostgresError {
        let (message, sqlState) = readRefusal(handle.errorMessage)
        return PostgresError(.connectionFailed, message, sqlState: sqlState)
    }

    /// Takes the SQLSTATE and the source location out of `FATAL:  3D000: database "x" does not exist\nLOCATION: …`.
    static func readRefusal(_ text: String) -> (message: String, sqlState: SQLState?) {
        var sqlState: SQLState?
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
        let words = lines.joined(separator: "; ").split(separator: " ").filter { (word: Substring) -> Bool in
            let code = word.dropLast()
            let isCode =
                word.count == 6 && word.last == ":" && code.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
                && code.contains(where: \.isNumber)
            if isCode { sqlState = SQLState(rawValue: String(code)) }
            return !isCode
        }
        return (words.map(String.init).joined(separator: " "), sqlState)
    }
}
