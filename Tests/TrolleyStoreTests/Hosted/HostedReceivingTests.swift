import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// A hosted device stores a fetch in one transaction, like any other device.
@Suite("A hosted device's fetch", .timeLimit(.minutes(20)))
struct HostedReceivingTests {
    @Test("its lists are folded one by one, so together they may take more memory than their account has")
    func memory() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 256 << 10
        try await TestStore.with(reading: reading) { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice())
            let now = Samples.time().wall
            // About 800 bytes an entry, so 160 KiB a list.
            let lists: [AllChangesResponse.List] = (0..<5).map { _ in
                let entries = (1...200).map { number in
                    ConfirmedEntry(
                        entry: Samples.add("item \(number)"), sequence: SequenceNumber(rawValue: Int64(number)),
                        author: Samples.id(), device: Samples.id(), madeAt: now, receivedAt: now)
                }
                var page = ChangesPage(
                    changes: entries.map { Change(sequence: $0.sequence, body: .entry($0)) }, token: "a",
                    moreComing: false, snapshot: true)
                page.digest = ListState(folding: entries).digest
                return .init(id: Samples.id(), page: page)
            }
            let fetchOutcome = try await store.receive(AllChangesResponse(lists: lists), at: now)
            #expect(fetchOutcome.differing == 0)
            for list in lists { try await store.apply(in: list.id, shopping: false) }
            #expect(try await store.queues().lists.map(\.toApply.count) == [0, 0, 0, 0, 0])
            #expect(try await store.shown(lists[0].id).state.items.count == 200)
        }
    }

    @Test("a list that takes more memory than its account may use is refused with the reason")
    func tooLong() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 16 << 10
        try await TestStore.with(reading: reading) { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice())
            let list: ListID = Samples.id()
            try await store.addList(list)
            _ = try await store.append((0..<3).map { Samples.add("item \($0)") }, to: list, made: Samples.time())
            let now = Samples.time().wall
            let changes = (1...100).map { number in
                let sequence = SequenceNumber(rawValue: Int64(number))
                return Change(
                    sequence: sequence,
                    body: .entry(
                        ConfirmedEntry(
                            entry: Samples.add("item \(number)"), sequence: sequence, author: Samples.id(),
                            device: Samples.id(), madeAt: now, receivedAt: now)))
            }
            let page = ChangesPage(changes: changes, token: "a", moreComing: true, snapshot: false)
            _ = try await store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
            await #expect(throws: HostedChangeError.tooLong) { try await store.shown(list) }
        }
    }

    @Test("a list that the service does not know leaves; a refused token is deleted, and the list stays")
    func unknown() async throws {
        try await TestStore.with { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice())
            let list: ListID = Samples.id()
            let now = Samples.time().wall
            let page = ChangesPage(changes: [], token: "a", moreComing: false, snapshot: true)
            _ = try await store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
            _ = try await store.append([Samples.add("milk")], to: list, made: Samples.time())
            let refused = AllChangesResponse(lists: [], expired: [list], unknown: [list])
            #expect(
                try await store.receive(refused, at: now) == FetchOutcome(expired: 1, progressed: true))
            #expect(try await store.deviceStatus().lists.map(\.token) == [nil])
            #expect(try await store.receive(refused, at: now) == FetchOutcome(), "it has no token any more")
            let gone = AllChangesResponse(lists: [], gone: [list: .removed], unknown: [list])
            #expect(
                try await store.receive(gone, at: now) == FetchOutcome(news: 1, keptAside: 1, progressed: true))
            #expect(try await store.deviceStatus().lists.isEmpty)
            #expect(try await store.rejected().map(\.code) == [.listDeleted])
        }
    }

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
                var contents = ["\(try await store.deviceStatus().lists)"]
                for list in [first, second] { contents.append("\(try await store.journal(of: list))") }
                return contents
            }
            _ = try await store.receive(
                AllChangesResponse(lists: [
                    page(first, [1], "old", snapshot: true), page(second, [11], "old", snapshot: true),
                ]), at: now)
            let before = try await contents()
            try await test.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
                CREATE TRIGGER failure BEFORE \(failure) EXECUTE FUNCTION fail();
                """)
            let response = AllChangesResponse(lists: [page(first, [2, 3], "first"), page(second, [12], "second")])
            await #expect(throws: QueueStoreError.self) { try await store.receive(response, at: now) }
            #expect(try await contents() == before)
            try await test.run("DROP FUNCTION fail() CASCADE")
            #expect(try await store.receive(response, at: now).news == 3)
            #expect(Set(try await store.deviceStatus().lists.map(\.token)) == ["first", "second"])
        }
    }
}
