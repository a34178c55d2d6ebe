extension PostgresSession {
    /// Errors: `connectionFailed`, with the SQLSTATE if the server itself refused; `cancelled`.
    static func connect(_ configuration: PostgresConfiguration) async throws(PostgresError) -> PostgresSession {
        let attempts = configuration.servers.attempts
        if attempts.isEmpty { return try await connect(configuration, to: nil, atMost: configuration.connectTimeout) }
        let deadline = ContinuousClock.now + configuration.connectTimeout
        var failures: [PostgresError] = []
        for (index, attempt) in attempts.enumerated() {
            // A server that doesn't answer leaves the others their share of the time.
            let share = (deadline - ContinuousClock.now) / (attempts.count - index)
            do {
                let session = try await connect(configuration, to: attempt, atMost: max(share, .zero))
                configuration.servers.noteSuccess(attempt)
                return session
            } catch {
                if error.kind == .cancelled { throw error }
                failures.append(error)
            }
        }
        // A later try may succeed, unless each server has refused permanently.
        throw PostgresError(
            .connectionFailed, failures.map(\.message).joined(separator: "; "),
            sqlState: failures.first { $0.isWorthRetrying } == nil ? failures.last?.sqlState : nil)
    }

    private static func connect(
        _ configuration: PostgresConfiguration, to attempt: ServerList.Attempt?, atMost limit: Duration
    ) async throws(PostgresError) -> PostgresSession {
        let deadline = ContinuousClock.now + limit
        let parameters = configuration.parameters(for: attempt)
        let location = attempt?.server.location ?? configuration.location
        // Not on the cooperative pool: libpq resolves host names in this call, and blocks.
        let started = await Blocking.run(atMost: limit) { Handle.start(parameters) }
        guard let handle = started ?? nil else {
            throw PostgresError(.connectionFailed, "the address of \(location) could not be resolved in time")
        }
        handle.setVerbose(true)
        var interest = Exchange.Interest.writable
        polling: while true {
            if handle.isBad { throw refusal(handle, configuration) }
            // libpq may change its socket while it tries addresses, so each wait asks for the socket again.
            switch await Readiness.shared.wait(
                for: interest, on: handle.socket, until: deadline, cancellable: true)
            {
            case .ready: break
            case .timedOut:
                throw PostgresError(.connectionFailed, "no answer from \(location) in time")
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
        let session = PostgresSession(handle: handle, canceller: canceller, configuration: configuration)
        try await session.applySettings()
        return session
    }

    private func applySettings() async throws(PostgresError) {
        guard configuration.preparesStatements else {
            return transactionOpening = Self.opening(configuration.transactionSettings)
        }
        if let settings = configuration.settings {
            var extensions: Set<String> = []
            for row in try await run([settings], timeout: configuration.connectTimeout)[0] {
                if let name = try row.decode(String?.self, at: 1) { extensions.insert(name) }
            }
            let settings = configuration.transactionSettingsWithExtension.filter { extensions.contains($0.key) }
            transactionOpening = Self.opening(settings.values.reduce(into: [:]) { $0.merge($1) { $1 } })
        }
        let optional = configuration.optionalSettings.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        if optional.isEmpty { return }
        // All at once; if the server refuses one of them, one by one.
        if try await !accepts(optional) { for setting in optional { _ = try await accepts([setting]) } }
    }

    private func accepts(_ settings: [(name: String, value: String)]) async throws(PostgresError) -> Bool {
        let query: Query = """
            SELECT set_config(name, value, false)
            FROM unnest(\(settings.map(\.name))::text[], \(settings.map(\.value))::text[]) AS setting (name, value)
            """
        do { _ = try await run([query], timeout: configuration.connectTimeout) } catch {
            if error.kind == .server { return false }
            throw error
        }
        return true
    }

    /// A command and not set_config: only a command reaches the nodes of a Citus cluster.
    private static func opening(_ settings: [String: String]) -> [Query] {
        settings.sorted { $0.key < $1.key }.map { name, value in
            Query(Statement(name: "set_\(name)", sql: "SET LOCAL \(name) = '\(value)'"))
        }
    }

    private static func refusal(_ handle: Handle, _ configuration: PostgresConfiguration) -> PostgresError {
        let (message, sqlState) = readRefusal(handle.errorMessage)
        return PostgresError(.connectionFailed, message, sqlState: sqlState)
    }

    /// Splits a refusal into its message and its SQLSTATE, and drops the source location: `FATAL:  3D000: database "x"
    /// does not exist\nLOCATION: …`.
    static func readRefusal(_ text: String) -> (message: String, sqlState: SQLState?) {
        var sqlState: SQLState?
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("LOCATION:") }
        // libpq's hints begin with a tab.
        let all = lines.joined(separator: "; ").split(whereSeparator: \.isWhitespace)
        let words = all.filter { (word: Substring) -> Bool in
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

extension PostgresConfiguration {
    /// The query that applies the session's settings; nil when there are none.
    fileprivate var settings: Query? {
        let ofExtensions = settingsWithExtension.flatMap { name, settings in
            settings.map { (name: $0.key, value: $0.value, extension: name as String?) }
        }
        let settings = sessionSettings.map { (name: $0.key, value: $0.value, extension: nil as String?) } + ofExtensions
        guard preparesStatements, !settings.isEmpty else { return nil }
        // In this order, so that an extension's settings come last. OFFSET keeps the planner from applying a setting
        // before the sort.
        return """
            SELECT set_config(setting.name, setting.value, false), setting.extension
            FROM (
                SELECT name, value, extension
                FROM unnest(\(settings.map(\.name))::text[], \(settings.map(\.value))::text[], \(settings.map(\.extension))::text[])
                    WITH ORDINALITY AS setting (name, value, extension, number)
                WHERE extension IS NULL OR extension IN (SELECT extname FROM pg_extension)
                ORDER BY number
                OFFSET 0
            ) AS setting
            """
    }
}
