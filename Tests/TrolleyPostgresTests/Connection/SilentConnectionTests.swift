import Testing
import TrolleyCluster
import TrolleyPostgres
import TrolleyTestSupport

#if canImport(Glibc)
    import Glibc
#endif

/// A server process that hangs: its connection stays open and says nothing.
@Suite(.timeLimit(.minutes(20))) struct SilentConnectionTests {
    @Test func `a listener whose server process hangs takes another connection`() async throws {
        // A server of the test's own: others wait for a process that hangs.
        let cluster = try await Cluster.start(.ephemeral(), logger: .quiet)
        do {
            let postgres = try PostgresConfiguration(cluster.connectionString())
            let pool = Pool(postgres)
            // On a busy machine a probe of the connection that works may take seconds to come back.
            let probe = Listener.Probe(interval: .milliseconds(500), patience: .seconds(10))
            let stream = Listener(postgres, probe: probe).listen(["list"])
            var events = stream.filter { if case .probed = $0 { false } else { true } }.makeAsyncIterator()
            #expect(await events.next() == .reconnected)
            let listener = "SELECT pid FROM pg_stat_activity WHERE state = 'idle' AND query LIKE '%FROM pg_notify(%'"
            var process: Int32?
            while process == nil {
                process = try await pool.withConnection { connection in
                    try await connection.execute("\(unescaped: listener)").first?.decode(Int32.self, at: 0)
                }
            }
            let hanging = try #require(process)
            #expect(kill(hanging, SIGSTOP) == 0)
            defer { kill(hanging, SIGCONT) }
            var event = await events.next()
            while case .interrupted(let reason) = event {
                #expect(!reason.isEmpty)
                event = await events.next()
            }
            #expect(event == .reconnected)
            _ = try await pool.withConnection { try await $0.execute("SELECT pg_notify('list', 'two')") }
            #expect(await events.next() == .notification(Notification(channel: "list", payload: "two")))
            await pool.close()
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
    }
}
