import Synchronization
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// A hosted device stores each list of a fetch in one transaction.
@Suite("A hosted device's fetch", .timeLimit(.minutes(20)))
struct HostedReceivingTests {
    @Test("its lists are folded one by one, so together they may take more memory than their account has")
    func memory() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 256 << 10
        try await TestStore.with(reading: reading) { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice(), account: nil)
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
            #expect(try await store.queues(limit: 1000).lists.map(\.toApply.count) == [0, 0, 0, 0, 0])
            #expect(try await store.shown(lists[0].id).state.items.count == 200)
        }
    }

    @Test("a list that takes more memory than its account may use is refused with the reason")
    func tooLong() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 16 << 10
        try await TestStore.with(reading: reading) { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice(), account: nil)
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
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice(), account: nil)
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
        "a list that fails on the way is as it was before, the other one is stored, and it comes whole the next time",
        arguments: [
            ("INSERT ON hosted_entry FOR EACH ROW WHEN (NEW.sequence = 3)", 0),
            ("INSERT ON hosted_entry FOR EACH ROW WHEN (NEW.sequence = 12)", 1),
            ("UPDATE ON hosted_list FOR EACH ROW WHEN (NEW.token = 'second')", 1),
        ])
    func fails(_ failure: String, failing: Int) async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let failures = Mutex<[ListID]>([])
            let store = HostedQueueStore(store: test.store, device: device, account: nil) { list, _ in
                failures.withLock { $0.append(list) }
            }
            let lists: [ListID] = [Samples.id(), Samples.id()]
            let now = Samples.time().wall
            func contents(_ list: ListID) async throws -> String {
                "\(try await store.deviceStatus().lists.filter { $0.id == list }) \(try await store.journal(of: list))"
            }
            func tokens() async throws -> Set<String?> { Set(try await store.deviceStatus().lists.map(\.token)) }
            _ = try await store.receive(
                AllChangesResponse(lists: [
                    page(lists[0], [1], "old", snapshot: true), page(lists[1], [11], "old", snapshot: true),
                ]), at: now)
            let before = try await contents(lists[failing])
            try await test.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no such luck'; END $$;
                CREATE TRIGGER failure BEFORE \(failure) EXECUTE FUNCTION fail();
                """)
            let pages = [page(lists[0], [2, 3], "first"), page(lists[1], [12], "second")]
            let outcome = try await store.receive(AllChangesResponse(lists: pages), at: now)
            #expect(outcome.unstored == [lists[failing]] && failures.withLock(\.self) == [lists[failing]])
            #expect(outcome.news == (failing == 0 ? 1 : 2) && outcome.progressed)
            #expect(try await contents(lists[failing]) == before)
            #expect(try await tokens() == ["old", failing == 0 ? "second" : "first"])
            try await test.run("DROP FUNCTION fail() CASCADE")
            let again = try await store.receive(AllChangesResponse(lists: [pages[failing]]), at: now)
            #expect(again.unstored.isEmpty && again.news == (failing == 0 ? 2 : 1))
            #expect(try await tokens() == ["first", "second"])
        }
    }

    @Test("a list that can't be removed stays, the others go on, and it is removed the next time")
    func removalFails() async throws {
        try await TestStore.with { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice(), account: nil)
            let lists = [Samples.id(ListID.self), Samples.id(ListID.self)].sorted()
            let now = Samples.time().wall
            _ = try await store.receive(
                AllChangesResponse(lists: lists.map { page($0, [1], "old", snapshot: true) }), at: now)
            try await test.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no such luck'; END $$;
                CREATE TRIGGER failure BEFORE DELETE ON hosted_list FOR EACH ROW WHEN (OLD.list_id = '\(lists[0])')
                EXECUTE FUNCTION fail();
                """)
            let gone = AllChangesResponse(lists: [], gone: [lists[0]: .removed, lists[1]: .removed])
            #expect(try await store.receive(gone, at: now).unstored == [lists[0]])
            #expect(try await store.deviceStatus().lists.map(\.id) == [lists[0]])
            try await test.run("DROP FUNCTION fail() CASCADE")
            #expect(try await store.receive(gone, at: now).unstored.isEmpty)
            #expect(try await store.deviceStatus().lists.isEmpty)
        }
    }

    @Test("a full disk is no fault of a list: the fetch fails, and the lists before are stored")
    func diskFull() async throws {
        try await TestStore.with { test in
            let store = HostedQueueStore(store: test.store, device: try await test.hostedDevice(), account: nil)
            try await test.run(
                """
                CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$;
                CREATE TRIGGER failure BEFORE INSERT ON hosted_entry FOR EACH ROW WHEN (NEW.sequence = 2)
                EXECUTE FUNCTION fail();
                """)
            let lists: [ListID] = [Samples.id(), Samples.id()]
            let pages = [page(lists[0], [1], "first", snapshot: true), page(lists[1], [2], "second", snapshot: true)]
            await #expect(throws: QueueStoreError.busy) {
                try await store.receive(AllChangesResponse(lists: pages), at: Samples.time().wall)
            }
            #expect(try await store.deviceStatus().lists.map(\.token) == ["first"])
        }
    }

    @Test("a list that is too long doesn't keep the others from being fetched, reported and applied")
    func tooLongForOne() async throws {
        var reading = ReadingLimits()
        reading.bytesPerAccount = 32 << 10
        try await TestStore.with(reading: reading) { test in
            let store = HostedQueueStore(
                store: test.store, device: try await test.hostedDevice(), account: nil, waitsForAcknowledgement: true)
            let (long, short): (ListID, ListID) = (Samples.id(), Samples.id())
            let now = Samples.time().wall
            let pages = [
                page(long, Array(1...200), "long", snapshot: true), page(short, [1, 2], "short", snapshot: true),
            ]
            let outcome = try await store.receive(AllChangesResponse(lists: pages), at: now)
            #expect(outcome.unstored == [long] && outcome.news == 3)
            #expect(try await store.shown(short).state.items.count == 2)
            // The device knows that it has the list, but doesn't show an empty one.
            #expect(Set(try await store.deviceStatus().lists.map(\.id)) == [long, short])
            await #expect(throws: HostedChangeError.notFetched) { try await store.shown(long) }
            // It came in small parts before, and nobody has acknowledged its entries.
            _ = try await store.receive(
                AllChangesResponse(lists: [page(long, Array(1...200), "long", more: true)]), at: now)
            #expect(try await store.report(at: Samples.time()).toApply == ["add": 202])
            for list in [long, short] { try await store.apply(in: list, shopping: false) }
            #expect(try await store.toApplyCounts(in: long) == [.add: 200])
        }
    }

    private func page(
        _ list: ListID, _ sequences: [Int64], _ token: String, snapshot: Bool = false, more: Bool = false
    ) -> AllChangesResponse.List {
        let now = Samples.time().wall
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
            id: list, page: ChangesPage(changes: changes, token: token, moreComing: more, snapshot: snapshot))
    }
}
