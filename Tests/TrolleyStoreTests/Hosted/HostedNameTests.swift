import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyStore

/// A hosted device stores its lists' names, and updates them with received and queued entries.
@Suite("Names of a hosted device's lists", .timeLimit(.minutes(20)))
struct HostedNameTests {
    private let list: ListID = Samples.id()
    private let now = Samples.time().wall

    private func rename(_ name: String) -> JournalEntry {
        JournalEntry(id: Samples.id(), operation: .renameList, fields: ["text": .string(name)], deviceSequence: 1)
    }

    /// - Parameter madeAt: milliseconds after the beginning of the test.
    private func change(_ entry: JournalEntry, _ sequence: Int64, madeAt: Int64? = nil) -> Change {
        let sequence = SequenceNumber(rawValue: sequence)
        return Change(
            sequence: sequence,
            body: .entry(
                ConfirmedEntry(
                    entry: entry, sequence: sequence, author: Samples.id(), device: Samples.id(),
                    madeAt: Samples.time(madeAt ?? sequence.rawValue).wall, receivedAt: now)))
    }

    private func page(_ changes: [Change], snapshot: Bool = false) -> AllChangesResponse {
        let page = ChangesPage(changes: changes, token: "token", moreComing: false, snapshot: snapshot)
        return AllChangesResponse(lists: [.init(id: list, page: page)])
    }

    private func with(_ body: (HostedQueueStore, TestStore) async throws -> Void) async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            try await body(HostedQueueStore(store: test.store, device: device, account: nil), test)
        }
    }

    @Test(
        "a list is found by the name that it has now: received, renamed by others, in a snapshot, or by the device itself"
    )
    func follows() async throws {
        try await with { store, _ in
            _ = try await store.receive(page([change(rename("Shop"), 1)], snapshot: true), at: now)
            #expect(try await store.list("shop") == list)
            _ = try await store.receive(page([change(Samples.add("milk"), 2)]), at: now)
            #expect(try await store.list("Shop") == list, "another change leaves the name alone")
            _ = try await store.receive(page([change(rename("Party"), 3)]), at: now)
            #expect(try await store.list("PARTY") == list)
            await #expect(throws: HostedChangeError.noSuchList) { try await store.list("Shop") }
            _ = try await store.receive(page([change(rename("Late"), 4, madeAt: 0)]), at: now)
            #expect(try await store.list("Party") == list, "a name that was given earlier loses, whenever it comes")
            let own = try await store.append([rename("Own")], to: list, made: Samples.time(100))
            #expect(try await store.list("Own") == list, "one's own at once")
            try await store.settle(
                [UploadVerdict(entry: own[0].id, outcome: .rejected(.invalidArguments, nil))], in: list, at: now)
            #expect(try await store.list("Party") == list, "and no longer when it was refused")
            #expect(try await store.rejected().map(\.listName) == ["Own"])
            _ = try await store.receive(page([change(rename("Garden"), 9)], snapshot: true), at: now)
            #expect(try await store.list("Garden") == list)
            #expect(try await store.queues(limit: 1000).lists.map(\.name) == ["Garden"])
        }
    }

    @Test("values after a change by an older version are recomputed when they are needed")
    func older() async throws {
        try await with { store, test in
            _ = try await store.receive(page([change(rename("Shop"), 1)], snapshot: true), at: now)
            // The state after a version without names: an earlier list, and a list that was renamed in the meantime.
            for setting in ["summed_through = NULL, latest_made_at = NULL", "through = through + 1"] {
                try await test.pool.withConnection { connection in
                    _ = try await connection.execute(
                        Query(unescaped: "UPDATE hosted_list SET name = '\"Wrong\"', \(setting)"))
                }
                #expect(try await store.list("Shop") == list)
            }
            try await forget(test)
            #expect(try await store.queues(limit: 1000).lists.map(\.name) == ["Shop"])
            try await forget(test)
            // Later than every change that the person has seen.
            _ = try await store.receive(page([change(Samples.add("milk"), 3, madeAt: 5000)]), at: now)
            _ = try await store.append([Samples.add("bread")], to: list, made: Samples.time(10))
            #expect(try await store.journal(of: list).pending.map(\.madeAt) == [Samples.time(5001).wall])
        }
    }

    private func forget(_ test: TestStore) async throws {
        try await test.pool.withConnection { connection in
            _ = try await connection.execute(
                "UPDATE hosted_list SET name = NULL, latest_made_at = NULL, summed_through = NULL")
        }
    }
}
