import Logging
import Testing
import TrolleyCluster
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@Suite("Diagnostics over HTTP", .timeLimit(.minutes(20)))
struct DiagnosticsRouteTests {
    @Test("a person sees the diagnostics of their own lists and devices only")
    func own() async throws {
        try await TestService.with { service in
            let (anna, ben) = (try await service.person("anna"), try await service.person("ben"))
            let (shared, foreign) = (try await service.list(of: anna), try await service.list(of: ben))
            try await service.add(ben, to: shared, of: anna)
            _ = try await service.upload([.add("quince")], to: shared, by: anna)
            _ = try await service.upload([.add("parsley")], to: foreign, by: ben)
            let plain = try await service.call("GET", Path.diagnostics, token: anna.token)
            #expect(plain.status == 200)
            #expect(try Dump(json: plain.body).lists.map(\.id) == [shared])
            #expect(plain.text.contains("\(anna.device)") && !plain.text.contains("\(ben.device)"))
            for text in ["quince", "parsley", "anna", "ben@", "operation\":{", "\(foreign)"] {
                #expect(!plain.text.contains(text), "\(text)")
            }
            let open = try await service.call("GET", Path.diagnostics + "?withContent=true", token: anna.token)
            #expect(open.text.contains("quince") && !open.text.contains("parsley"))
            let wrong = try await service.call("GET", Path.diagnostics + "?withContent=7", token: anna.token)
            #expect(try wrong.outcome == "400 invalidArguments")
            #expect(try await service.call("GET", Path.diagnostics).outcome == "401 notAuthenticated")
        }
    }
}

@Suite("Slow statements", .timeLimit(.minutes(20)))
struct SlowStatementTests {
    @Test("PostgreSQL's own statistics of statements are shown if there are any, without values")
    func postgres() async throws {
        var configuration = ClusterConfiguration.ephemeral()
        configuration.settings["shared_preload_libraries"] = "pg_stat_statements"
        let cluster = try await Cluster.start(
            configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let pool = Pool(try Store.configuration(cluster.connectionString()))
        try await Migrator(pool: pool).migrate()
        try await pool.withConnection { connection in
            try await connection.run(script: "CREATE EXTENSION pg_stat_statements; CREATE ROLE x PASSWORD 'marzipan'")
            _ = try await connection.execute("SELECT 'quince', count(*) FROM account WHERE name = 'quince'")
        }
        let diagnostics = try await Store(pool: pool).diagnostics(
            of: .init(), version: "0", configuration: [:], withContent: false)
        #expect(diagnostics.operation?.measuredBy == "pg_stat_statements")
        let slowest = diagnostics.operation?.slowest.map(\.statement) ?? []
        #expect((1...10).contains(slowest.count))
        #expect(!slowest.contains { $0.contains("quince") || $0.contains("marzipan") })
        await pool.close()
        await cluster.stop()
    }
}
