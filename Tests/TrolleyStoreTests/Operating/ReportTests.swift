import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@Suite("Devices' reports", .timeLimit(.minutes(20)))
struct ReportTests {
    @Test("a report is written when it says something new, and not for its ages")
    func quiet() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            var report = QueueReport(upload: ["add": 1], oldestAge: 5, held: [list: 3])
            func keep(_ position: Int64) async throws -> Bool {
                try await test.store.saveReport(
                    report, positions: [list: SequenceNumber(rawValue: position)], of: anna.device)
            }
            #expect(try await keep(1))
            report.oldestAge = 1005
            #expect(try await !keep(1))
            #expect(try await keep(2))
            report.upload = [:]
            #expect(try await keep(2))
            #expect(try await !keep(2))
            // After a few minutes it is written again, to show that the device is active.
            _ = try await test.pool.withConnection {
                try await $0.execute("UPDATE device_report SET reported_at = now() - interval '6 minutes'")
            }
            #expect(try await keep(2))
            // This also holds for a device that reports only its positions.
            #expect(try await test.store.saveReport(nil, positions: [:], of: anna.device))
            #expect(try await !test.store.saveReport(nil, positions: [:], of: anna.device))
            let rows = try await test.pool.withConnection { try await $0.execute("SELECT FROM device_report") }
            #expect(rows.count == 1)
        }
    }

    @Test(
        "a rejected entry of a client without reports keeps a replay waiting only until the client's next request")
    func plainClient() async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            func completeness() async throws -> ReplayCompleteness {
                try await test.store.replay(of: list, for: anna.account, through: nil).completeness
            }
            for (person, number) in [(anna, Int64(3)), (ben, 2)] {
                try await test.upload([.add("milk", number)], to: list, by: person)
            }
            let waiting = [anna.device, ben.device].sorted()
            guard case .waiting(let missing) = try await completeness() else {
                Issue.record("nothing was waited for")
                return
            }
            #expect(missing.map(\.device) == waiting)
            // Each device returns. A visit is recorded at most once a minute.
            func visit(_ person: Session) async throws {
                try await test.pool.withConnection {
                    _ = try await $0.execute("UPDATE device SET last_seen_at = now() WHERE id = \(person.device)")
                }
            }
            try await visit(anna)
            #expect(try await completeness() == .waiting([.init(device: ben.device, reason: .holdsBack(1))]))
            // A device that is signed out can send nothing more.
            try await test.store.signOut(device: ben.device, account: ben.account)
            #expect(try await completeness() == .ready)
        }
    }

    @Test func `a replay waits for devices that wrote to the list or may have it, and says whose they are`()
        async throws
    {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            func run(_ sql: String) async throws {
                _ = try await test.pool.withConnection { try await $0.execute(Query(unescaped: sql)) }
            }
            func device(of person: Session, _ name: String, _ number: UInt8) async throws -> DeviceID {
                try await test.store.createDevice(
                    account: person.account, name: name, tokenHash: [UInt8](repeating: number, count: 32)
                ).id
            }
            // They have not been here since the list exists, and since Ben is on it.
            let (hers, his) = (try await device(of: anna, "desk", 1), try await device(of: ben, "tablet", 2))
            try await run("UPDATE device SET last_seen_at = now() - interval '1 hour' WHERE name IN ('desk', 'tablet')")
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.upload([.add("milk", 1)], to: list, by: anna)
            func waiting() async throws -> [DeviceID] {
                let replay = try await test.store.replay(of: list, for: anna.account, through: nil)
                guard case .waiting(let missing) = replay.completeness else { return [] }
                return missing.map(\.device)
            }
            try await run(
                "UPDATE device SET last_seen_at = now() - interval '30 seconds' WHERE name NOT IN ('desk', 'tablet')")
            #expect(try await waiting() == [ben.device], "it was here after Ben came on the list")
            // It reported, without a token of the list, before and after the list could come to it.
            try await test.store.saveReport(QueueReport(), positions: [:], of: his)
            try await run("UPDATE device_report SET reported_at = now() - interval '30 minutes'")
            #expect(try await waiting() == [ben.device])
            try await run("UPDATE device_report SET reported_at = now()")
            #expect(try await Set(waiting()) == [ben.device, his])
            // It has a token, however long ago.
            try await test.store.saveReport(QueueReport(), positions: [list: .start], of: hers)
            try await run("UPDATE device_report SET reported_at = now() - interval '2 hours'")
            #expect(try await Set(waiting()) == [ben.device, hers])
            let json = String(
                decoding: try await test.store.replay(of: list, for: anna.account, through: nil).replayContext.json,
                as: UTF8.self)
            #expect(
                json.contains(#""deviceName":"desk""#) && json.contains(#""account":"\#(anna.account)""#), "\(json)")
        }
    }

    @Test("a rejected number delays a replay until the device reports that it holds nothing back")
    func replay() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            func completeness() async throws -> ReplayCompleteness {
                try await test.store.replay(of: list, for: anna.account, through: nil).completeness
            }
            // The second of three entries was rejected, so it never arrives.
            try await test.upload([.add("milk", 1), .add("bread", 3)], to: list, by: anna)
            let waiting = ReplayCompleteness.waiting([.init(device: anna.device, reason: .holdsBack(1))])
            #expect(try await completeness() == waiting)
            // A device that didn't have the list when it reported has said nothing about it.
            try await test.store.saveReport(QueueReport(), positions: [:], of: anna.device)
            #expect(try await completeness() == waiting)
            try await test.store.saveReport(nil, positions: [list: .start], of: anna.device)
            #expect(try await completeness() == waiting)
            try await test.store.saveReport(QueueReport(held: [list: 2]), positions: [list: .start], of: anna.device)
            #expect(try await completeness() == waiting)
            try await test.store.saveReport(QueueReport(), positions: [list: .start], of: anna.device)
            #expect(try await completeness() == .ready)
            // Later entries have gaps of their own.
            try await test.upload([.add("jam", 5)], to: list, by: anna)
            #expect(try await completeness() == waiting)
        }
    }
}

extension ReplayContext {
    fileprivate var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { write(to: &$0) }
        return writer.bytes
    }
}
