import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// When a list's newest change was received stands in the list's row, and is in change tokens.
@Suite(.timeLimit(.minutes(20))) struct MarkTests {
    private func isMarked(_ list: ListID, in test: TestStore) async throws -> Bool {
        try await test.pool.withConnection { connection in
            try await !connection.execute(
                """
                SELECT FROM list
                WHERE id = \(list) AND mark_of = head AND mark = coalesce(
                    (SELECT received_at FROM entry WHERE list_id = list.id AND sequence = head),
                    (SELECT received_at FROM event WHERE list_id = list.id AND sequence = head))
                """
            ).isEmpty
        }
    }

    @Test func `whatever a list's newest change is, its row has the change's time`() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let bob = try await test.person("bob")
            let list = try await test.list(of: alice)
            let milk = JournalEntry.add("milk")
            try await test.upload([milk], to: list, by: alice)
            #expect(try await isMarked(list, in: test), "an upload with others")
            let message = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .message,
                fields: [Fields.text: "hello"], deviceSequence: 2)
            try await test.upload([message], to: list, by: alice)
            #expect(try await isMarked(list, in: test), "an upload of its own")
            try await test.add(bob, to: list, of: alice)
            #expect(try await isMarked(list, in: test), "a state of the share")
            let delete = JournalEntry(
                id: .version7(at: .now, random: RandomBits.random), operation: .delete, item: milk.item,
                deviceSequence: 3)
            try await test.upload([delete], to: list, by: alice)
            let later = Timestamp.now.advanced(byMilliseconds: 60_000)
            #expect(try await test.store.compress(list, olderThan: later)?.discarded == 2)
            #expect(try await isMarked(list, in: test), "discarded entries")
        }
    }

    @Test func `a head that an earlier version has moved alone is looked up`() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let list = try await test.list(of: alice)
            try await test.upload([.add("milk")], to: list, by: alice)
            try await test.upload([.add("bread", 2)], to: list, by: alice)
            let through = SequenceNumber(rawValue: 2)
            let marked = try await test.store.changes(of: list, for: alice.account, after: through, limit: 10).mark
            // As if that version had appended the second one.
            try await test.run("UPDATE list SET mark_of = 1, mark = mark - interval '1 day'")
            let lookedUp = try await test.store.changes(of: list, for: alice.account, after: through, limit: 10).mark
            #expect(marked != nil && lookedUp == marked)
            try await test.run("UPDATE list SET mark_of = NULL, mark = NULL")
            let never = try await test.store.changes(of: list, for: alice.account, after: through, limit: 10).mark
            #expect(never == marked)
        }
    }

    @Test func `a list whose row lacks the mark is read again, and its mark looked up`() async throws {
        try await TestStore.with { test in
            let alice = try await test.person("alice")
            let lists = [try await test.list(of: alice), try await test.list(of: alice)]
            for list in lists { try await test.upload([.add("milk")], to: list, by: alice) }
            let known = [lists[0]: SequenceNumber(rawValue: 1), lists[1]: SequenceNumber(rawValue: 1)]
            func marks() async throws -> [Timestamp?] {
                try await test.store.changes(for: alice.account, device: alice.device, after: known, limit: 10)
                    .changeRanges.map(\.mark)
            }
            let marked = try await marks()
            #expect(marked.count == 2 && marked.allSatisfy { $0 != nil })
            try await test.run("UPDATE list SET mark_of = NULL, mark = NULL WHERE id = '\(lists[0])'")
            let lookedUp = try await marks()
            #expect(lookedUp == marked)
        }
    }

    @Test(.enabled(if: TestNodes.shared == nil, "for one server"))
    func `the commonest question reads the lists' rows, and looks nothing up`() async throws {
        try await TestStore.with { test in
            let plan = try await test.pool.withConnection { try await $0.plan(of: ChangeSQL.headsOfMany) }
            #expect(plan.contains { $0.contains(" on list") })
            for table in ["entry", "event", "archived_id", "returned_place"] {
                #expect(!plan.contains { $0.contains(" on \(table)") }, "\(table)")
            }
        }
    }
}
