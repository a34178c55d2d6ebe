import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyMigrations
@testable import TrolleyStore

@Suite("The doctor", .timeLimit(.minutes(20)))
struct DoctorTests {
    private func findings(
        _ pool: Pool, listening: PostgresConfiguration? = nil, migrations: [Migration] = Migrations.all,
        hintTimeout: Duration = .seconds(120)
    ) async -> [String: Finding] {
        let findings = await Doctor(
            pool: pool, listening: listening, compressionAge: 0, migrations: migrations, clock: { .now },
            hintTimeout: hintTimeout
        ).examine()
        return Dictionary(uniqueKeysWithValues: findings.map { ($0.check, $0) })
    }

    @Test(
        "of a good database it says nothing but good; of what the tests' server does for speed, what it is",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func healthy() async throws {
        try await TestStore.with(settings: Store.sessionSettings) { test in
            var findings = await findings(test.pool)
            #expect(findings["durability"]?.verdict == .failed, "this server has fsync off")
            findings["durability"] = nil
            // Other tests' databases may fill the disk and the connections.
            for check in ["disk", "connections"] { #expect(findings.removeValue(forKey: check) != nil) }
            #expect(findings.filter { $0.value.verdict != .ok }.isEmpty)
            #expect(
                findings.keys.sorted() == [
                    "archive", "autovacuum", "clock", "compression", "connection", "epoch", "frozen", "hints", "proxy",
                    "schema", "sockets", "vacuum", "writes",
                ])
        }
    }

    @Test("without a server it says where it looked, and nothing else")
    func noServer() async throws {
        let pool = Pool(try Store.configuration("postgresql://trolley:secret@/trolley?host=/nowhere"))
        let findings = await findings(pool)
        #expect(findings.keys.sorted() == ["connection"])
        let finding = try #require(findings["connection"])
        #expect(finding.verdict == .failed && finding.message.contains("/nowhere"))
        #expect(!"\(finding)".contains("secret"))
        await pool.close()
    }

    @Test("a schema that is not there, not whole, or of a later version is told apart")
    func migrations() async throws {
        let later = Migrations.all + [Migration(version: 99, name: "later", sql: "SELECT 1")]
        try await TestStore.with { test in
            let old = await findings(test.pool, migrations: later)
            #expect(old["schema"]?.verdict == .failed && old["schema"]?.message == "not applied yet: 99 later")
            #expect(old["epoch"] == nil)
            let newer = await findings(test.pool, migrations: Array(Migrations.all.prefix(26)))
            #expect(newer["schema"]?.verdict == .failed && newer["schema"]?.advice?.contains("that fits") == true)
        }
        try await withTestDatabase { url in
            let pool = Pool(try Store.configuration(url))
            let none = await findings(pool)
            #expect(none["schema"]?.message == "there is no schema of Trolley's in this database")
            await pool.close()
        }
    }

    @Test("a database that takes no writes is found out")
    func readOnly() async throws {
        try await TestStore.with { test in
            _ = try await test.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        DO $$ BEGIN
                            EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database());
                        END $$
                        """)
            }
            let pool = Pool(test.pool.configuration)
            let finding = await findings(pool)["writes"]
            #expect(finding?.verdict == .failed && finding?.advice?.contains("RESET") == true)
            await pool.close()
        }
    }

    @Test("a role that may not see where the data is gets a warning", .enabled(if: TestNodes.shared == nil))
    func hiddenDisk() async throws {
        try await TestStore.with { test in
            let role = "role_\(UInt32.random(in: .min ... .max))"
            try await test.run("CREATE ROLE \(role)")
            var configuration = test.pool.configuration
            configuration.sessionSettings["role"] = role
            let pool = Pool(configuration)
            let hidden = try #require(await findings(pool, hintTimeout: .milliseconds(1))["disk"])
            #expect(hidden.verdict == .warning && hidden.advice?.contains("GRANT pg_read_all_settings") == true)
            try await test.run("GRANT pg_read_all_settings TO \(role)")
            let seen = try #require(await findings(pool, hintTimeout: .milliseconds(1))["disk"])
            #expect(seen.message.contains("MiB are free at /"))
            await pool.close()
        }
    }

    @Test("hints that don't arrive are found out: notifications stay in their database")
    func hints() async throws {
        try await TestStore.with { test in
            try await withTestDatabase { url in
                let finding = await findings(
                    test.pool, listening: try PostgresConfiguration(url), hintTimeout: .milliseconds(200))["hints"]
                #expect(finding?.verdict == .warning)
            }
        }
    }

    @Test("a pooler that lends connections by transaction lets no hint through; listening past it does")
    func pooler() async throws {
        try await TestStore.with { test in
            let direct = test.pool.configuration
            try await TestPooler.with(direct.connectionString, connections: 4) { url in
                var configuration = try Store.configuration(url)
                configuration.preparesStatements = false
                let pool = Pool(configuration, options: .patient(3))
                let through = await findings(pool, hintTimeout: .seconds(1))
                #expect(through["schema"]?.verdict == .ok, "\(through)")
                #expect(through["hints"]?.verdict == .warning)
                #expect(await findings(pool, listening: direct)["hints"]?.verdict == .ok)
                await pool.close()
            }
        }
    }

    @Test("rows of earlier versions that are still being completed are told, and that it stands still is a warning")
    func backfills() async throws {
        try await TestStore.with { test in
            try await test.run(
                "UPDATE backfill SET finished_at = NULL, of_lists = 9, lists = 3 WHERE name = 'list_mark'")
            let finding = try #require(await findings(test.pool)["backfills"])
            #expect(finding.verdict == .ok && finding.message == "backfill list_mark has done 3 of 9 lists")
            try await test.run("UPDATE backfill SET moved_at = now() - interval '2 hours'")
            #expect(await findings(test.pool)["backfills"]?.verdict == .warning)
        }
    }

    @Test("lists that nobody compresses are counted")
    func backlog() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            for _ in 1...2 { try await test.upload([.add("milk")], to: try await test.list(of: anna), by: anna) }
            _ = try await test.pool.withConnection {
                try await $0.execute("UPDATE list SET uncompressed_since = now() - interval '3 days'")
            }
            let finding = await findings(test.pool)["compression"]
            #expect(finding?.verdict == .warning && finding?.message.hasPrefix("2 lists") == true)
        }
    }

    @Test("notices that wait although they are due, and those that failed, are counted")
    func outbox() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            let webhook = try await test.store.createWebhook(
                of: anna.account, url: "https://hooks.example.com/", secret: Array(repeating: 6, count: 32),
                withContent: false)
            #expect(await findings(test.pool)["outbox"]?.verdict == .ok)
            try await test.run(
                """
                INSERT INTO push_delivery (list_id, id, target_id, account_id, content, expires_at, dead_at, failure)
                VALUES
                    ('\(list)', gen_random_uuid(), '\(webhook.id)', '\(anna.account)', '{}', now() + interval '1 day',
                        now(), 'status 500')
                """)
            let dead = await findings(test.pool)["outbox"]
            #expect(dead?.verdict == .warning && dead?.message.hasPrefix("1 notices") == true)
            try await test.run("UPDATE push_delivery SET dead_at = NULL, due_at = now() - interval '20 minutes'")
            let late = await findings(test.pool)["outbox"]
            #expect(late?.verdict == .warning && late?.message.contains("wait although they are due") == true)
        }
    }

    @Test("clocks that differ, after the time that asking took")
    func clocks() {
        func verdict(_ database: Int64, _ before: Int64, _ after: Int64) -> Finding.Verdict {
            Doctor.clocks(
                database: Timestamp(milliseconds: database), before: Timestamp(milliseconds: before),
                after: Timestamp(milliseconds: after)
            ).verdict
        }
        #expect(verdict(10_000, 10_000, 10_002) == .ok)
        #expect(verdict(16_000, 10_000, 10_002) == .warning)
        #expect(verdict(4000, 10_000, 10_002) == .warning)
        #expect(verdict(16_000, 10_000, 22_000) == .ok, "a slow answer proves nothing")
        #expect(verdict(700_000, 10_000, 10_002) == .failed)
    }

    @Test("a disk that is nearly full, and settings that lose or hoard")
    func limits() {
        func disk(_ free: Int64, _ total: Int64, _ needed: Int64 = 0) -> Finding.Verdict {
            Doctor.disk(
                DiskSpace(path: "/", free: free << 20, total: total << 20), needed: needed << 20, size: ""
            ).verdict
        }
        #expect(disk(100, 1000) == .failed)
        #expect(disk(512, 4096) == .warning)
        #expect(disk(2048, 65_536) == .warning)
        #expect(disk(20_000, 65_536, 30_000) == .warning)
        #expect(disk(20_000, 65_536, 1000) == .ok)
        #expect(Doctor.connections(usable: 97, used: 10, wanted: 16).verdict == .ok)
        #expect(Doctor.connections(usable: 97, used: 79, wanted: 16).verdict == .ok)
        #expect(Doctor.connections(usable: 97, used: 80, wanted: 16).verdict == .warning)
        for (milliseconds, verdict) in [(20_000, Finding.Verdict.ok), (0, .warning), (60_000, .warning)] {
            #expect(Doctor.frozen(after: milliseconds, isPooled: true).verdict == verdict)
        }
        let good = [
            "fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "wal_level": "replica",
            "archive_mode": "off", "autovacuum": "on", "track_counts": "on",
        ]
        #expect(Doctor.judge(good).verdict == .ok)
        for bad in ["fsync", "synchronous_commit", "full_page_writes", "autovacuum", "track_counts"] {
            #expect(Doctor.judge(good.merging([bad: "off"]) { $1 }).verdict == .failed, "\(bad)")
        }
    }
}
