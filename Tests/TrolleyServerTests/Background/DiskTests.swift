import Logging
import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

@Suite("A disk that fills", .timeLimit(.minutes(20)))
struct DiskTests {
    @Test("while the disk is full, reads work and changes must wait; afterwards changes work again")
    func full() async throws {
        let (free, lines) = (Free(50 << 30), Lines())
        try await TestService.with(
            connections: 4, log: lines.logger(.notice), configure: { $0.diskProbe = free.probe }
        ) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            func outcome(_ method: String, _ path: String, _ body: String? = nil) async throws -> Answer {
                guard let body else { return try await service.call(method, path, token: anna.token) }
                return try await service.call(method, path, token: anna.token, json: body)
            }
            let bread = UploadRequest(entries: [UploadEntry(entry: .add("bread", 2), age: 0)])
            let entry = String(decoding: bread.json, as: UTF8.self)

            free.set(512 << 20)
            await service.service.disk.check()
            #expect(
                lines.text.contains("warning the database's disk is nearly full freeMiB=512 ofMiB=102400 part=http"))
            try await service.expectReady()

            free.set(1 << 20)
            await service.service.disk.check()
            #expect(lines.text.contains("error the database's disk is full"))
            for (method, path, body) in [
                ("POST", Path.entries(list), entry), ("POST", Path.lists, #"{"id":"\#(ListID.random())"}"#),
                ("PUT", Path.presence(list), "{}"),
            ] {
                let answer = try await outcome(method, path, body)
                #expect(try answer.outcome == "503 serviceUnavailable", "\(method) \(path)")
                #expect(try answer.problem.retryAfter == 30 && answer.headers["retry-after"] == "30")
            }
            #expect(try await outcome("GET", "/readyz").outcome == "503 serviceUnavailable")
            #expect(try await outcome("GET", "/healthz").status == 200)
            for path in [Path.lists, Path.changes(list), Path.state(list), Path.activity(list)] {
                #expect(try await outcome("GET", path).status == 200, "\(path)")
            }
            let report =
                #"{"protocolVersion":2,"tokens":{},"report":{"upload":{"add":1},"toApply":{},"held":{},"failures":[]}}"#
            let changes = try await outcome("POST", Path.changes, report)
            #expect(changes.status == 200 && changes.text.contains("milk"))
            let metrics = try await outcome("GET", "/metrics").text
            for line in ["trolley_changes_refused 1", "trolley_disk_free_bytes 1048576"] {
                #expect(metrics.contains("\n\(line)"))
            }

            free.set(50 << 30)
            await service.service.disk.check()
            #expect(lines.text.contains("notice the database's disk has enough free space again"))
            #expect(try await outcome("POST", Path.entries(list), entry).status == 200)
            try await service.expectReady()

            free.set(1 << 20)
            await service.service.disk.check()
            #expect(try await outcome("DELETE", Path.session).status == 204, "one can always sign out")
        }
    }

    @Test(
        "a sync is answered though neither its report nor that the device was here can be written down",
        .enabled(if: TestNodes.shared == nil, "for one server"))
    func unwritable() async throws {
        try await TestService.with(connections: 4) { service in
            let anna = try await service.person("anna")
            let list = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: list, by: anna)
            try await service.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        UPDATE device SET last_seen_at = now() - interval '1 day';
                        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql
                            AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$;
                        CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON device
                            FOR EACH ROW EXECUTE FUNCTION full_disk();
                        CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON device_report
                            FOR EACH ROW EXECUTE FUNCTION full_disk();
                        """)
            }
            // A service that doesn't know the device, so that it must look it up.
            let other = try await TrolleyServer.Service(
                store: Store(pool: service.pool), configuration: service.service.configuration)
            #expect(try await other.store.session(tokenHash: Secret(text: anna.token).hash)?.device == anna.device)
            let report =
                #"{"protocolVersion":2,"tokens":{},"report":{"upload":{"add":1},"toApply":{},"held":{},"failures":[]}}"#
            let answer = try await service.call("POST", Path.changes, token: anna.token, json: report)
            #expect(answer.status == 200 && answer.text.contains("milk"))
            let metrics = try await service.call("GET", "/metrics").text
            #expect(metrics.contains("\ntrolley_device_reports_lost_total 1"))
        }
    }

    @Test("a disk that can't be watched is logged once, with the reason", .enabled(if: TestNodes.shared == nil))
    func hidden() async throws {
        try await withTestDatabase { url in
            let owner = Pool(try Store.configuration(url))
            let role = "role_\(UInt32.random(in: .min ... .max))"
            try await owner.withConnection { try await $0.run(script: "CREATE ROLE \(role)") }
            var configuration = try Store.configuration(url)
            configuration.sessionSettings["role"] = role
            let pool = Pool(configuration)
            func log(probe: @escaping @Sendable ([String]) -> DiskSpace?) async -> (String, DiskSpace?) {
                let lines = Lines()
                let monitor = DiskMonitor(
                    store: Store(pool: pool), minimum: 0, logger: lines.logger(.info), probe: probe)
                for _ in 1...3 { await monitor.check() }
                return (lines.text, monitor.space)
            }
            let plenty = DiskSpace(path: "/", free: 50 << 30, total: 100 << 30)
            var (text, space) = await log { _ in plenty }
            #expect(
                text == """
                    notice the database's disk is not watched reason=the role may not see the data directory's path; \
                    GRANT pg_read_all_settings allows it

                    """)
            #expect(space == nil)
            try await owner.withConnection { try await $0.run(script: "GRANT pg_read_all_settings TO \(role)") }
            (text, space) = await log { _ in plenty }
            #expect(text.isEmpty && space == plenty)
            (text, space) = await log { _ in nil }
            #expect(text.split(separator: "\n").count == 1 && text.contains("this user may not look into /"))
            await pool.close()
            // An outage ends by itself, and says nothing about the disk.
            (text, space) = await log { _ in plenty }
            #expect(text.isEmpty && space == nil)
            await owner.close()
        }
    }

    @Test("a level is left with a little more room than there was when it began")
    func levels() {
        var level = DiskLevel(minimum: 100 << 20)
        func note(_ mebibytes: Int64) -> DiskLevel.Value? {
            level.note(DiskSpace(path: "/", free: mebibytes << 20, total: 10 << 30))
        }
        #expect(note(2000) == nil)
        #expect(note(1000) == .low)
        #expect(note(1100) == nil, "as good as before")
        #expect(note(1300) == .ample)
        #expect(note(90) == .full)
        #expect(note(110) == nil)
        #expect(note(130) == .low)
        #expect(note(0) == .full && note(5000) == .ample)
        var never = DiskLevel(minimum: 0)
        #expect(never.note(DiskSpace(path: "/", free: 0, total: 10 << 30)) == .low)
    }

    private final class Free: Sendable {
        private let bytes: Mutex<Int64>

        init(_ bytes: Int64) { self.bytes = Mutex(bytes) }

        func set(_ bytes: Int64) { self.bytes.withLock { $0 = bytes } }

        var probe: @Sendable ([String]) -> DiskSpace? {
            { _ in DiskSpace(path: "/", free: self.bytes.withLock { $0 }, total: 100 << 30) }
        }
    }
}
