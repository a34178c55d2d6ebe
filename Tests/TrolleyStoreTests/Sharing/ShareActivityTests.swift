import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("The Activity of a share of many people", .timeLimit(.minutes(20)))
struct ShareActivityTests {
    @Test(
        "it has every change once, in pages of bounded bytes, however the states are stored", arguments: [false, true])
    func pages(isOld: Bool) async throws {
        try await TestStore.with { test in
            let share = try await LargeShare(of: 60, in: test)
            try await share.permit(150)
            if isOld { try await share.makeOld() }
            var (before, changes): (SequenceNumber?, [String]) = (nil, [])
            var pages = 0
            while true {
                pages += 1
                let page = try await test.store.activity(
                    of: share.list, for: share.owner.account, before: before, by: nil, of: nil, limit: 250)
                changes += page.items.compactMap { item in
                    guard case .participant(let change) = item.event, change.kind == .permissionChanged else {
                        return nil
                    }
                    return
                        "\(item.sequence.rawValue) \(change.participant.name ?? "?") \(change.participant.permission)"
                }
                guard let next = page.next else { break }
                before = next
            }
            // Whole states are more bytes than a page may have, differences aren't.
            #expect(isOld ? pages > 1 : pages == 1)
            // The first state has no state before.
            let expected = (1..<150).reversed().map { number in
                "\(number + 1) Person number \(number % 60 + 1) \(number / 60 % 2 == 0 ? "readOnly" : "readWrite")"
            }
            #expect(changes == expected)
        }
    }

    @Test("a page reads no more events than it has room for, and none twice", .enabled(if: TestNodes.shared == nil))
    func steps() async throws {
        try await TestStore.with { test in
            let share = try await LargeShare(of: 60, in: test)
            try await share.permit(150)
            try await share.makeOld()
            try await test.pool.withConnection { connection in
                try await connection.run(script: "PREPARE page AS \(ActivitySQL.page.sql)")
                let plan = try await connection.execute(
                    Query(
                        unescaped:
                            "EXPLAIN (ANALYZE, TIMING off) EXECUTE page('\(share.list)', 1000, 20, NULL, NULL)"))
                try await connection.run(script: "DEALLOCATE page")
                let read = try plan.map { try $0.decode(String.self, at: 0) }.filter {
                    $0.contains(" on event event")
                }
                #expect(read.count == 1, "\(read)")
                #expect(read.first?.contains("rows=20 loops=1)") == true, "\(read)")
            }
        }
    }

    @Test("the members of one list take half of the turns at most")
    func turns() async throws {
        try await TestStore.with(connections: 8) { test in
            let share = try await LargeShare(of: 8, in: test)
            let stranger = try await test.person("sam")
            let other = try await test.list(of: stranger)
            try await test.pool.withConnection { connection in
                try await connection.execute(.begin)
                // The members' reads wait for this; folding needs no read mark.
                try await connection.run(script: "LOCK TABLE read_mark IN ACCESS EXCLUSIVE MODE")
                let members = share.people.map { person in
                    Task {
                        await failure {
                            try await test.store.activity(
                                of: share.list, for: person, before: nil, by: nil, of: nil, limit: 10)
                        }
                    }
                }
                while test.store.listGate.waiting < 6 { await Task.yield() }
                #expect(test.store.gate.waiting == 0)
                #expect(try await test.store.state(of: other, for: stranger.account).state.items.isEmpty)
                try await connection.execute(.rollback)
                // Those that have waited too long for the lock have given up, which is not the point here.
                for member in members { _ = await member.value }
            }
        }
    }
}
