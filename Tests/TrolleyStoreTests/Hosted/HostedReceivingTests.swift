import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// What a hosted device fetches is one transaction, as on any other device.
@Suite("A hosted device's fetch", .timeLimit(.minutes(20)))
struct HostedReceivingTests {
    @Test(
        "one that fails on the way leaves everything as it was, and comes whole the next time",
        arguments: [
            "INSERT ON hosted_entry FOR EACH ROW WHEN (NEW.sequence = 3)",
            "INSERT ON hosted_entry FOR EACH ROW WHEN (NEW.sequence = 12)",
            "UPDATE ON hosted_list FOR EACH ROW WHEN (NEW.token = 'second')",
        ])
    func fails(_ failure: String) async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let store = HostedQueueStore(store: test.store, device: device)
            let (first, second): (ListID, ListID) = (Samples.id(), Samples.id())
            let now = Samples.time().wall
            func page(_ list: ListID, _ sequences: [Int64], _ token: String, snapshot: Bool = false)
                -> AllChangesResponse.List
            {
                let changes = sequences.map { number in
                    let sequence = SequenceNumber(rawValue: number)
                    return Change(
                        sequence: sequence,
                        body: .entry(
                            ConfirmedEntry(
                                entry: Samples.add("item \(number)"), sequence: sequence, author: Samples.id(),
                                device: Samples.id(), madeAt: now, receivedAt: now)))
                }
                return .init(
                    id: list, page: ChangesPage(changes: changes, token: token, moreComing: false, snapshot: snapshot))
            }
            func contents() async throws -> [String] {
                var contents = ["\(try await store.standing().lists)"]
                for list in [first, second] { contents.append("\(try await store.journal(of: list))") }
                return contents
            }
            _ = try await store.receive(
                AllChangesResponse(lists: [
                    page(first, [1], "old", snapshot: true), page(second, [11], "old", snapshot: true),
                ]), at: now)
            let before = try await contents()
            try await test.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
                        CREATE TRIGGER failure BEFORE \(failure) EXECUTE FUNCTION fail();
                        """)
            }
            let response = AllChangesResponse(lists: [page(first, [2, 3], "first"), page(second, [12], "second")])
            await #expect(throws: QueueStoreError.self) { try await store.receive(response, at: now) }
            #expect(try await contents() == before)
            try await test.pool.withConnection { connection in
                try await connection.run(script: "DROP FUNCTION fail() CASCADE")
            }
            #expect(try await store.receive(response, at: now).news == 3)
            #expect(Set(try await store.standing().lists.map(\.token)) == ["first", "second"])
        }
    }
}
