import FoundationEssentials
import Logging
import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyTestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A server of the test's own goes away under its clients.
@Suite struct RestartTests {
    private func withCluster<R>(_ body: (Cluster, ClusterConfiguration) async throws -> R) async throws -> R {
        let configuration = ClusterConfiguration.ephemeral()
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

    /// The number in the server's `postmaster.pid`.
    private func killServer(_ configuration: ClusterConfiguration, _ signal: Int32) async throws {
        let text = try String(contentsOfFile: "\(configuration.dataDirectory)/postgres/postmaster.pid", encoding: .utf8)
        let process = try #require(Int32(text.prefix { $0.isNumber }))
        #expect(kill(process, signal) == 0)
    }

    @Test(arguments: [SIGINT, SIGKILL])
    func `a pool goes on after the server was restarted`(_ signal: Int32) async throws {
        try await withCluster { cluster, configuration in
            let pool = Pool(try PostgresConfiguration(cluster.connectionString()))
            try await pool.withConnection { try await $0.run(script: "CREATE TABLE thing (a int)") }
            let running = Task { try await pool.withConnection { try await $0.execute("SELECT pg_sleep(60)") } }
            try await Task.sleep(for: .milliseconds(200))
            try await killServer(configuration, signal)
            let error = await #expect(throws: PostgresError.self) { try await running.value }
            #expect(error?.kind == .connectionLost)
            // Connections that idled are not lent, and new ones are tried for until the server is back.
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
            var events = stream.makeAsyncIterator()
            #expect(await events.next() == .reconnected)
            _ = try await pool.withConnection { try await $0.execute("SELECT pg_notify('list', 'one')") }
            #expect(await events.next() == .notification(Notification(channel: "list", payload: "one")))
            _ = try await pool.withConnection { try await $0.execute("SELECT pg_notify('odd \"name\"', '')") }
            #expect(await events.next() == .notification(Notification(channel: "odd \"name\"", payload: "")))
            try await killServer(configuration, SIGINT)
            #expect(await events.next() == .reconnected)
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
