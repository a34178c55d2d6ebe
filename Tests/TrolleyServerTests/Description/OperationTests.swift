import Logging
import ServiceLifecycle
import Testing
import TrolleyCluster
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@Suite("Operating", .timeLimit(.minutes(20)))
struct OperationTests {
    @Test("the service says its limits, that it is alive, and that it is ready")
    func healthy() async throws {
        try await TestService.with { service in
            let config: ConfigResponse = try await service.call("GET", Path.config).decode()
            #expect(
                config
                    == ConfigResponse(
                        version: "0.0.0", protocolVersion: ProtocolVersion.current, limits: Limits(),
                        registration: .open, rates: Rates(), quotas: Quotas(), mail: false, rooms: RoomLimits()))
            #expect(try await service.call("GET", "/healthz").text == #"{"status":"ok"}"#)
            try await service.expectReady()
        }
    }

    @Test("without its database it is alive and not ready, and says to wait")
    func databaseAway() async throws {
        let cluster = try await Cluster.start(
            .ephemeral(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        let patient = try TestService.patientPool(cluster.connectionString())
        try await Migrator(pool: patient).migrate()
        var token: String?
        try await TestService.with(patient) { token = try await $0.person("anna").token }
        var options = Pool.Options()
        options.acquireTimeout = .milliseconds(200)
        try await TestService.with(Pool(patient.configuration, options: options)) { service in
            await cluster.stop()
            for (method, path, token) in [("GET", "/readyz", nil), ("GET", Path.lists, token)]
                as [(String, String, String?)]
            {
                let answer = try await service.call(method, path, token: token)
                #expect(try answer.outcome == "503 serviceUnavailable")
                #expect(try answer.problem.retryAfter == 2)
            }
            #expect(try await service.call("GET", "/healthz").status == 200)
        }
    }

    @Test(
        "with a full disk the service is not ready, gives the reason, and still answers reads",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func fullDisk() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            try await service.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
                        CREATE TRIGGER full_disk BEFORE INSERT ON entry EXECUTE FUNCTION full_disk()
                        """)
            }
            let milk = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)]).json
            let refused = try await service.call("POST", Path.entries(list), token: anna.token, body: milk)
            #expect(try refused.outcome == "503 serviceUnavailable" && refused.problem.retryAfter == 30)
            // On a busy machine the reason may be a check that takes too long.
            let ready = try await eventually {
                try await service.call("GET", "/readyz")
            } until: {
                $0.text.contains("disk is full")
            }
            #expect(try ready.outcome == "503 serviceUnavailable")
            #expect(try await service.call("GET", Path.state(list), token: anna.token).status == 200)
            try await service.pool.withConnection { try await $0.run(script: "DROP TRIGGER full_disk ON entry") }
            #expect(
                try await service.call("POST", Path.entries(list), token: anna.token, body: milk).status == 200)
            try await service.expectReady()
        }
    }

    @Test(
        "an upload to a list on a node that is away gets zoneBusy, and other calls are answered",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func nodeAway() async throws {
        try await TestService.with { service in
            let anna = try await service.person("anna")
            let (here, away) = (try await service.list(of: anna), try await service.list(of: anna))
            // The error of Citus when it can't connect to a worker.
            try await service.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        CREATE FUNCTION away() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006'; END $$;
                        CREATE TRIGGER away BEFORE INSERT ON entry FOR EACH ROW WHEN (NEW.list_id = '\(away)')
                            EXECUTE FUNCTION away()
                        """)
            }
            let milk = UploadRequest(entries: [UploadEntry(entry: .add("milk"), age: 0)]).json
            let refused = try await service.call("POST", Path.entries(away), token: anna.token, body: milk)
            #expect(try refused.outcome == "503 zoneBusy")
            #expect(try refused.problem.retryAfter == 5 && refused.headers["retry-after"] == "5")
            #expect(try await service.upload([.add("milk")], to: here, by: anna).results.map(\.status) == [.applied])
            #expect(try await service.call("GET", Path.state(away), token: anna.token).status == 200)
            try await service.expectReady()
        }
    }

    @Test(
        "on a stop signal the service finishes its answers and accepts no new requests",
        .enabled(if: TestNodes.shared == nil, "a distributed table has no triggers"))
    func gracefulShutdown() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            let milk = JournalEntry.add("milk")
            try await service.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN
                            -- On a busy machine the test may hold it for longer than an upload waits for a list.
                            PERFORM set_config('lock_timeout', '0', true);
                            PERFORM pg_advisory_xact_lock_shared(1);
                            RETURN NEW;
                        END
                        $$;
                        CREATE TRIGGER wait BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION wait()
                        """)
            }
            let answer = try await service.pool.withTransaction { connection in
                // The upload waits for a lock that the test holds, and nothing else does.
                try await connection.execute("SELECT FROM (SELECT pg_advisory_xact_lock(1)) AS held")
                async let upload = service.upload([milk], to: list, by: anna)
                try await connection.untilSomebodyWaits()
                await service.group.triggerGracefulShutdown()
                // When connecting fails, it has stopped listening.
                while (try? await RawConnection.with(port: service.port) { _, _ in }) != nil {}
                _ = try await connection.execute(.commit)
                _ = try await connection.execute(.begin)
                return try await upload
            }
            #expect(answer.results.map(\.status) == [.applied])
            let stored = try await service.pool.withConnection { try await $0.execute("SELECT entry_id FROM entry") }
            #expect(try stored.map { try $0.decode(EntryID.self, at: 0) } == [milk.id])
        }
    }
}
