import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("A hosted device with a list that it can't store", .timeLimit(.minutes(20)))
struct HostedStuckListTests {
    @Test("goes on with its other lists, and has the list as soon as it can be stored")
    func goesOn() async throws {
        try await TestService.with(connections: 6) { service in
            let anna = try await service.person("anna")
            let (stuck, other) = (try await service.list(of: anna), try await service.list(of: anna))
            // More than an answer has.
            for upload in 0..<3 {
                let entries = (1...400).map { JournalEntry.add("item \($0)", Int64(400 * upload + $0)) }
                _ = try await service.upload(entries, to: stuck, by: anna)
            }
            _ = try await service.upload([.add("milk")], to: other, by: anna)
            try await service.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no such luck'; END $$;
                CREATE TRIGGER failure BEFORE INSERT ON hosted_staged FOR EACH ROW WHEN (NEW.list_id = '\(stuck)')
                EXECUTE FUNCTION fail();
                """)
            let speaker = try await service.hosted(of: anna)
            #expect(try await speaker.get("list?list=\(other)").text.contains("milk"))
            #expect(try await speaker.get("list?list=\(stuck)").outcome == "503 zoneBusy")
            let off = try await speaker.post("off", #"{"list":"\#(stuck)","text":"item 7"}"#)
            #expect(try off.outcome == "503 zoneBusy")
            #expect(try await resting(service) == 0, "only the list waits")
            #expect(try await speaker.get("queue").field("nextTry") != "none")

            // What comes later, too.
            _ = try await service.upload([.add("bread")], to: other, by: anna)
            try await eventually("the other list is fetched", every: .milliseconds(50)) {
                try await speaker.get("list?list=\(other)").text.contains("bread")
            }
            try await service.run("DROP FUNCTION fail() CASCADE")
            let session = Session(account: anna.account, device: speaker.device)
            try await eventually("the list is fetched") {
                _ = await service.service.hosted.drive(session, .manual, waitLimit: .seconds(60))
                return try await speaker.get("list?list=\(stuck)").status == 200
            }
            #expect(try await speaker.get("list?list=\(stuck)").text.contains("item 400"))
            try await service.rest()
        }
    }

    @Test("is reported as far as it has the list, also while the list waits and is not fetched")
    func reported() async throws {
        try await TestService.with(connections: 6) { service in
            let anna = try await service.person("anna")
            let (stuck, other) = (try await service.list(of: anna), try await service.list(of: anna))
            _ = try await service.upload([.add("milk")], to: stuck, by: anna)
            let speaker = try await service.hosted(of: anna)
            try await service.rest()
            let queues = HostedQueueStore(
                store: service.service.store, device: speaker.device, account: anna.account)
            let later = HostedClock.now().wall.advanced(byMilliseconds: 3_600_000)
            try await service.letWait(
                ListWait(list: stuck, failures: 5, nextTry: later, askedToWait: true), in: queues)
            // Now the device is behind on the list that waits.
            _ = try await service.upload([.add("bread")], to: stuck, by: anna)
            _ = try await service.upload([.add("jam")], to: other, by: anna)
            try await eventually("the other list is fetched", every: .milliseconds(50)) {
                try await speaker.get("list?list=\(other)").text.contains("jam")
            }
            #expect(try await !speaker.get("list?list=\(stuck)").text.contains("bread"), "it waits")
            let isReported = try await service.pool.withConnection { connection in
                try await connection.execute(
                    "SELECT positions ? \(stuck)::uuid::text FROM device_report WHERE device_id = \(speaker.device)")[0]
                    .decode(Bool.self, at: 0)
            }
            #expect(isReported)
        }
    }

    @Test("keeps the list waiting also when it makes a change, or names a list that it doesn't have")
    func ownChange() async throws {
        try await TestService.with(connections: 6) { service in
            let anna = try await service.person("anna")
            let (stuck, other) = (try await service.list(of: anna), try await service.list(of: anna))
            _ = try await service.upload([.add("milk")], to: stuck, by: anna)
            let speaker = try await service.hosted(of: anna)
            try await service.rest()
            let queues = HostedQueueStore(
                store: service.service.store, device: speaker.device, account: anna.account)
            let later = HostedClock.now().wall.advanced(byMilliseconds: 200_000)
            // Not asked to wait by the service: the device couldn't store it.
            try await service.letWait(
                ListWait(list: stuck, failures: 5, nextTry: later, askedToWait: false), in: queues)
            _ = try await service.upload([.add("bread")], to: stuck, by: anna)
            let session = Session(account: anna.account, device: speaker.device)
            let report = await service.service.hosted.drive(session, .ownChange, waitLimit: .seconds(60))
            #expect(report != nil && report?.failure == nil)
            #expect(try await speaker.get("list?list=nowhere").status == 404)
            #expect(try await !speaker.get("list?list=\(stuck)").text.contains("bread"), "it waits")
            #expect(try await queues.deviceStatus().retryState.lists?.map(\.nextTry) == [later])
            #expect(try await speaker.post("add", #"{"list":"\#(other)","text":"jam"}"#).status == 200)
            _ = await service.service.hosted.drive(session, .manual, waitLimit: .seconds(60))
            #expect(try await speaker.get("list?list=\(stuck)").text.contains("bread"))
        }
    }

    @Test("takes no changes to the list before it was fetched")
    func unfetched() async throws {
        try await TestService.with(connections: 6) { service in
            let anna = try await service.person("anna")
            let stuck = try await service.list(of: anna)
            _ = try await service.upload([.add("milk")], to: stuck, by: anna)
            try await service.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no such luck'; END $$;
                CREATE TRIGGER failure BEFORE INSERT ON hosted_entry FOR EACH ROW EXECUTE FUNCTION fail();
                """)
            let speaker = try await service.hosted(of: anna)
            let added = try await speaker.post("add", #"{"list":"\#(stuck)","text":"bread"}"#)
            #expect(try added.outcome == "503 zoneBusy")
            #expect(try await speaker.get("list?list=\(stuck)").outcome == "503 zoneBusy")
            try await service.rest()
        }
    }

    /// The number of devices that rest.
    private func resting(_ service: TestService) async throws -> Int {
        try await service.pool.withConnection { connection in
            try await connection.execute("SELECT count(*) FROM hosted_device WHERE rests_until > now()")[0].decode(
                Int.self, at: 0)
        }
    }
}

extension TestService {
    /// Runs commands.
    fileprivate func run(_ script: String) async throws {
        try await pool.withConnection { try await $0.run(script: script) }
    }
}

extension TestService {
    /// Lets a list of a hosted device wait. A run of the device that had begun before would write what it knows itself.
    fileprivate func letWait(_ wait: ListWait, in queues: HostedQueueStore) async throws {
        var retryState = try await queues.deviceStatus().retryState
        retryState.lists = [wait]
        repeat {
            try await queues.saveRetryState(retryState)
            try await rest()
        } while try await queues.deviceStatus().retryState != retryState
    }
}
