import FoundationEssentials
import Logging
import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyTestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A server of the test's own disappears while clients use it.
@Suite(.timeLimit(.minutes(20))) struct RestartTests {
    private func withCluster<R>(_ body: (Cluster, ClusterConfiguration) async throws -> R) async throws -> R {
        var configuration = ClusterConfiguration.ephemeral()
        // Commits are written, though not flushed. Otherwise a killed server would lose the last half second.
        configuration.settings["synchronous_commit"] = "on"
        let cluster = try await Cluster.start(configuration, logger: .quiet)
        do {
            let answer = try await body(cluster, configuration)
            await cluster.stop()
            return answer
        } catch {
            await cluster.stop()
            throw error
        }
    }

    /// - Returns: the server's process id.
    @discardableResult
    private func killServer(_ configuration: ClusterConfiguration, _ signal: Int32) async throws -> Int32 {
        let process = try #require(server(configuration))
        #expect(kill(process, signal) == 0)
        return process
    }

    /// The number in the server's `postmaster.pid`.
    private func server(_ configuration: ClusterConfiguration) -> Int32? {
        let file = "\(configuration.dataDirectory)/postgres/postmaster.pid"
        let text = try? String(contentsOfFile: file, encoding: .utf8)
        return text.flatMap { Int32($0.prefix { $0.isNumber }) }
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `a pool goes on after the server was restarted`(_ signal: Int32) async throws {
        try await withCluster { cluster, configuration in
            var options = Pool.Options()
            // On a busy machine a server needs long for its recovery.
            options.acquireTimeout = .seconds(300)
            let pool = Pool(try PostgresConfiguration(cluster.connectionString()), options: options)
            try await pool.withConnection { try await $0.run(script: "CREATE TABLE thing (a int)") }
            let running = Task { try await pool.withConnection { try await $0.execute("SELECT pg_sleep(600)") } }
            try await pool.withConnection { try await $0.untilSomebodyExecutes("pg_sleep(600)") }
            let killed = try await killServer(configuration, signal)
            let error = await #expect(throws: PostgresError.self) { try await running.value }
            #expect(error?.kind == .connectionLost)
            // A killed server's children still answer for a moment. The next server starts when they have ended.
            try await eventually {
                server(configuration)
            } until: {
                $0 != nil && $0 != killed
            }
            // Idle connections are not lent, and the pool tries to open new ones until the server is back.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        _ = try await pool.withTransaction {
                            try await $0.execute("INSERT INTO thing VALUES (\(Int32(number)))")
                        }
                    }
                }
                try await group.waitForAll()
            }
            let rows = try await pool.withConnection { try await $0.execute("SELECT count(*) FROM thing") }
            #expect(try rows[0].decode(Int.self, at: 0) == 20)
            await pool.close()
        }
    }

    @Test func `a listener hears again after the server was restarted`() async throws {
        try await withCluster { cluster, configuration in
            let postgres = try PostgresConfiguration(cluster.connectionString())
            let pool = Pool(postgres)
            let stream = Listener(postgres).listen(["list", "odd \"name\""])
            var events = stream.filter { if case .probed = $0 { false } else { true } }.makeAsyncIterator()
            #expect(await events.next() == .reconnected)
            _ = try await pool.withConnection { try await $0.execute("SELECT pg_notify('list', 'one')") }
            #expect(await events.next() == .notification(Notification(channel: "list", payload: "one")))
            _ = try await pool.withConnection { try await $0.execute("SELECT pg_notify('odd \"name\"', '')") }
            #expect(await events.next() == .notification(Notification(channel: "odd \"name\"", payload: "")))
            try await killServer(configuration, SIGINT)
            // It reports each failed attempt to listen.
            var interruptions = 0
            var event = await events.next()
            while case .interrupted(let reason) = event {
                #expect(!reason.isEmpty)
                interruptions += 1
                event = await events.next()
            }
            #expect(interruptions > 0 && event == .reconnected)
            _ = try await pool.withConnection { try await $0.execute("SELECT pg_notify('list', 'two')") }
            #expect(await events.next() == .notification(Notification(channel: "list", payload: "two")))
            await pool.close()
        }
    }

    @Test func `without a server, callers wait for one no longer than they may`() async throws {
        try await withCluster { cluster, configuration in
            func pool(waiting timeout: Duration) throws -> Pool {
                var options = Pool.Options()
                options.acquireTimeout = timeout
                return Pool(try PostgresConfiguration(cluster.connectionString()), options: options)
            }
            let (pool, patientPool) = (try pool(waiting: .milliseconds(300)), try pool(waiting: .seconds(3600)))
            try await pool.checkHealth()
            await cluster.stop()
            let patient = Task { try await patientPool.checkHealth() }
            while patientPool.statistics.busy == 0 { await Task.yield() }
            let error = await #expect(throws: PostgresError.self) { try await pool.checkHealth() }
            #expect(error?.kind == .connectionFailed)
            #expect(patientPool.statistics.busy == 1)
            patient.cancel()
            let given = await #expect(throws: PostgresError.self) { try await patient.value }
            #expect(given?.kind == .cancelled)
            await pool.close()
            await patientPool.close()
        }
    }
}

extension Logger {
    /// For tests that make a server stop.
    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }
}
