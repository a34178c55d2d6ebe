import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

@Suite("What devices report")
struct ReportTests {
    @Test("a report is written when it says something new, and not for its ages")
    func quiet() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            var report = QueueReport(upload: ["add": 1], oldestAge: 5, held: [list: 3])
            func keep(_ position: Int64) async throws -> Bool {
                try await test.store.keep(
                    report, positions: [list: SequenceNumber(rawValue: position)], of: anna.device)
            }
            #expect(try await keep(1))
            report.oldestAge = 1005
            #expect(try await !keep(1))
            #expect(try await keep(2))
            report.upload = [:]
            #expect(try await keep(2))
            #expect(try await !keep(2))
            // After a few minutes it is written again, so that one sees that the device is there.
            _ = try await test.pool.withConnection {
                try await $0.execute("UPDATE device_report SET reported_at = reported_at - interval '6 minutes'")
            }
            #expect(try await keep(2))
            // Also from a device that says nothing but where it is.
            #expect(try await test.store.keep(nil, positions: [:], of: anna.device))
            #expect(try await !test.store.keep(nil, positions: [:], of: anna.device))
            let rows = try await test.pool.withConnection { try await $0.execute("SELECT FROM device_report") }
            #expect(rows.count == 1)
        }
    }

    @Test("what was refused keeps a replay waiting until the device says that it holds nothing back")
    func replay() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            func completeness() async throws -> ReplayCompleteness {
                try await test.store.replay(of: list, for: anna.account, through: nil).completeness
            }
            // The second of three was refused: it never comes.
            try await test.upload([.add("milk", 1), .add("bread", 3)], to: list, by: anna)
            let waiting = ReplayCompleteness.waiting([.init(device: anna.device, reason: .holdsBack(1))])
            #expect(try await completeness() == waiting)
            // A device that didn't have the list when it spoke has said nothing of it.
            try await test.store.keep(QueueReport(), positions: [:], of: anna.device)
            #expect(try await completeness() == waiting)
            try await test.store.keep(nil, positions: [list: .start], of: anna.device)
            #expect(try await completeness() == waiting)
            try await test.store.keep(QueueReport(held: [list: 2]), positions: [list: .start], of: anna.device)
            #expect(try await completeness() == waiting)
            try await test.store.keep(QueueReport(), positions: [list: .start], of: anna.device)
            #expect(try await completeness() == .ready)
            // What comes later has its own gaps.
            try await test.upload([.add("jam", 5)], to: list, by: anna)
            #expect(try await completeness() == waiting)
        }
    }
}
