import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

@testable import TrolleyStore

@Suite("When an upload makes a list due for summaries", .timeLimit(.minutes(20)))
struct SummaryDueTests {
    /// The two ways in which uploads are appended.
    enum Way: CaseIterable {
        case withOthers, byItself
    }

    /// What a list's row says before the upload, and when the list is due afterwards.
    private static let cases = [
        ("summary_due = NULL, alerts_from = NULL", "now"),
        ("summary_due = now() - interval '1 hour', alerts_from = NULL", "as before"),
        ("summary_due = now() + interval '2 hours', alerts_from = now() + interval '1 hour'", "with the alerts"),
        ("summary_due = now() + interval '1 hour', alerts_from = now() + interval '2 hours'", "as before"),
        ("summary_due = now() + interval '1 hour', alerts_from = now() - interval '1 hour'", "now"),
    ]

    @Test("an upload with others and one by itself set the same time", arguments: Way.allCases)
    func alike(way: Way) async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            for (before, expected) in Self.cases {
                let list = try await test.list(of: alice)
                try await test.add(bob, to: list, of: alice)
                try await test.run("UPDATE list SET \(before) WHERE id = '\(list)'")
                #expect(try await due(list, after: way, by: alice, test) == expected, "\(before)")
            }
            // Nobody needs a summary of a list of their own.
            #expect(try await due(try await test.list(of: alice), after: way, by: alice, test) == "never")
        }
    }

    private func due(
        _ list: ListID, after way: Way, by person: Session, _ test: TestStore
    ) async throws -> String {
        let before = try await self.row(list, test).due
        let single = test.store.appender.statistics.single
        switch way {
        case .withOthers: try await test.upload([.add("milk")], to: list, by: person)
        case .byItself:
            let message = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .message,
                fields: [Fields.text: "hello"], deviceSequence: 1)
            try await test.upload([message], to: list, by: person)
        }
        #expect(test.store.appender.statistics.single - single == (way == .byItself ? 1 : 0))
        let row = try await self.row(list, test)
        guard let due = row.due else { return "never" }
        return due == before
            ? "as before" : due == row.mark ? "now" : due == row.alerts ? "with the alerts" : "\(due)"
    }

    private func row(
        _ list: ListID, _ test: TestStore
    ) async throws -> (due: Timestamp?, mark: Timestamp?, alerts: Timestamp?) {
        try await test.pool.withConnection { connection in
            let row = try await connection.execute(
                "SELECT summary_due, mark, alerts_from FROM list WHERE id = \(list)")[0]
            return (try row.decode(at: 0), try row.decode(at: 1), try row.decode(at: 2))
        }
    }
}
