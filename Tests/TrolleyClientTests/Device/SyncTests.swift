import Synchronization
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

/// The engine, with a real store and a service with chosen faults.
@Suite(.timeLimit(.minutes(20))) struct SyncTests {
    let service = ScriptedService()

    /// A person's device, with its own files and clock.
    struct Phone {
        let directory = TemporaryDirectory()
        let store: SQLiteStore
        let engine: SyncEngine
        let clock: TestClock

        /// - Parameter during: runs while each upload is under way.
        init(
            _ service: ScriptedService,
            during: (@Sendable (SQLiteStore, TestClock) async throws(TransportError) -> Void)? = nil
        ) throws {
            let clock = TestClock()
            store = try SQLiteStore(directory: directory.path)
            self.clock = clock
            var transport: any Transport = service.transport(account: Samples.id(), device: Samples.id())
            if let during {
                transport = SlowTransport(transport: transport) { [store] () async throws(TransportError) in
                    try await during(store, clock)
                }
            }
            engine = SyncEngine(
                store: store, transport: transport, clock: { clock.now }, random: { 0.5 })
        }

        func state(of list: ListID) async throws -> ListState {
            let journal = try await store.journal(of: list)
            return ListState(folding: journal.confirmed, pending: journal.pending)
        }

        func texts(of list: ListID) async throws -> [String] { try await state(of: list).items.map(\.text) }

        func add(_ texts: [String], to list: ListID) async throws {
            var after = try await state(of: list).items.last?.id
            var entries: [JournalEntry] = []
            for text in texts {
                let entry = Samples.add(text, after: after)
                after = entry.item
                entries.append(entry)
            }
            _ = try await store.append(entries, to: list, made: clock.now)
        }
    }

    /// A transport whose uploads are under way for a while.
    struct SlowTransport: Transport {
        let transport: any Transport
        let during: @Sendable () async throws(TransportError) -> Void

        func config() async throws(TransportError) -> ConfigResponse { try await transport.config() }
        func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse {
            try await transport.createList(request)
        }
        func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse {
            try await during()
            return try await transport.upload(request, to: list)
        }
        func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse {
            try await transport.changes(request)
        }
        func deleteList(_ list: ListID) async throws(TransportError) { try await transport.deleteList(list) }
    }

    @Test(arguments: [nil, ServiceFault.lostResponse])
    func `what is undone while its upload is under way stays undone`(_ fault: ServiceFault?) async throws {
        let (service, list) = (service, Samples.id() as ListID)
        let milk = Samples.add("milk")
        let isFirst = Mutex(true)
        let alice = try Phone(service) { (store, clock) async throws(TransportError) in
            guard
                isFirst.withLock({ first in
                    defer { first = false }; return first
                })
            else { return }
            clock.pass(1_000)
            let delete = JournalEntry(
                id: Samples.id(), operation: .delete, item: milk.item, cause: .undo, reverts: milk.id,
                deviceSequence: 0)
            do { _ = try await store.append([delete], to: list, made: clock.now) } catch { Issue.record(error) }
            clock.pass(4_000)
            service.pass(milliseconds: 5_000)
        }
        try await alice.store.addList(list)
        _ = try await alice.store.append([milk], to: list, made: alice.clock.now)
        service.goWrong { call, number in if case .upload = call, number < 3 { fault } else { nil } }
        _ = await alice.engine.run(.ownChange)
        service.heal()
        _ = await alice.engine.run(.manual)
        let (add, delete) = (service.entries(of: list).first, service.entries(of: list).last)
        #expect(service.entries(of: list).count == 2)
        #expect(try #require(delete).madeAt >= #require(add).madeAt)
        #expect(try await alice.texts(of: list).isEmpty)
    }

    @Test func `a service that folds by other rules is not followed, and nothing is lost`() async throws {
        let list: ListID = Samples.id()
        let (alice, bob) = (try Phone(service), try Phone(service))
        try await alice.store.addList(list)
        try await alice.add(["milk"], to: list)
        #expect(await alice.engine.run(.ownChange).failure == nil)
        service.setProtocolVersion(1)
        let refused = await bob.engine.run(.launch)
        #expect(refused.failure?.code == .incompatibleVersion && refused.nextTry == nil)
        #expect(try await bob.store.deviceStatus().lists.isEmpty)
        try await alice.add(["bread"], to: list)
        #expect(await alice.engine.run(.ownChange).failure?.code == .incompatibleVersion)
        #expect(try await alice.texts(of: list) == ["milk", "bread"])
        service.setProtocolVersion(ProtocolVersion.current)
        #expect(await alice.engine.run(.manual).failure == nil)
        #expect(await bob.engine.run(.manual).failure == nil)
        #expect(try await bob.texts(of: list) == ["milk", "bread"])
    }

    @Test func `one person's items appear for the other, in the same order`() async throws {
        let list: ListID = Samples.id()
        let (alice, bob) = (try Phone(service), try Phone(service))
        try await alice.store.addList(list)
        try await alice.add(["milk", "bread"], to: list)
        let sent = await alice.engine.run(.ownChange)
        #expect(sent.failure == nil && sent.sent == 2 && sent.waiting == 0 && sent.outcome == .noData)
        let received = await bob.engine.run(.launch)
        #expect(received.outcome == .newData)
        #expect(try await bob.texts(of: list) == ["milk", "bread"])
        #expect(await bob.engine.run(.push).outcome == .noData)
    }

    @Test func `both edit offline and end up equal`() async throws {
        let list: ListID = Samples.id()
        let (alice, bob) = (try Phone(service), try Phone(service))
        try await alice.store.addList(list)
        try await alice.add(["milk", "bread"], to: list)
        _ = await alice.engine.run(.manual)
        _ = await bob.engine.run(.manual)
        try await alice.add(["from alice"], to: list)
        try await bob.add(["from bob", "more"], to: list)
        let milk = try #require(try await bob.state(of: list).items.first?.id)
        _ = try await bob.store.append([Samples.markOff(milk)], to: list, made: bob.clock.now)
        for phone in [alice, bob, alice, bob] { #expect(await phone.engine.run(.manual).failure == nil) }
        #expect(try await alice.state(of: list) == bob.state(of: list))
        #expect(try await alice.state(of: list).items.count == 5)
    }

    @Test func `a lost answer doubles nothing`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["milk", "bread"], to: list)
        service.goWrong { call, _ in if case .upload = call { .lostResponse } else { nil } }
        let report = await phone.engine.run(.manual)
        #expect(report.waiting == 2 && report.outcome == .failed)
        #expect(service.entries(of: list).count == 2)
        service.heal()
        #expect(await phone.engine.run(.manual).waiting == 0)
        #expect(service.entries(of: list).count == 2)
        #expect(try await phone.texts(of: list) == ["milk", "bread"])
    }

    @Test func `each entry is sent once, in order, whatever the limits`() async throws {
        for (limit, count) in [(1, 5), (3, 10), (100, 1), (99, 250), (400, 401)] {
            let service = ScriptedService()
            service.entriesPerRequest = limit
            // The device knows only the default limits.
            service.goWrong { call, _ in call == .config ? .problem(Problem(.unknownItem)) : nil }
            let list: ListID = Samples.id()
            let phone = try Phone(service)
            try await phone.store.addList(list)
            try await phone.add((1...count).map(String.init), to: list)
            let report = await phone.engine.run(.manual)
            #expect(
                report.failure == nil && report.sent == count && report.waiting == 0, "limit \(limit), \(count) entries"
            )
            #expect(service.entries(of: list).map(\.entry.deviceSequence) == Array(1...Int64(count)))
        }
    }

    @Test func `an entry that is refused is set aside, and the rest goes on`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["one", "two", "three"], to: list)
        service.refuse { $0.fields[Fields.text] == "two" ? .limitExceeded : nil }
        let report = await phone.engine.run(.manual)
        #expect(report.sent == 2 && report.rejected == 1 && report.waiting == 0 && report.failure == nil)
        #expect(try await phone.store.rejected().map(\.entry.fields) == [[Fields.text: "two"]])
        #expect(try await phone.texts(of: list) == ["one", "three"])
    }

    @Test func `a wait that the service asks for is kept across a restart, except by hand`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["milk"], to: list)
        service.goWrong { call, _ in
            if case .upload = call { .problem(Problem(.requestRateLimited, retryAfter: 60)) } else { nil }
        }
        let report = await phone.engine.run(.ownChange)
        #expect(report.nextTry == phone.clock.now.wall.advanced(byMilliseconds: 60_000))
        service.heal()
        let calls = service.calls.count
        let restarted = SyncEngine(
            store: try SQLiteStore(directory: phone.directory.path),
            transport: service.transport(account: Samples.id(), device: Samples.id()), clock: { phone.clock.now })
        phone.clock.pass(59_999)
        #expect(await restarted.run(.ownChange).failure != nil)
        #expect(service.calls.count == calls)
        phone.clock.pass(1)
        #expect(await restarted.run(.ownChange).waiting == 0)
    }

    @Test func `by hand it tries at once`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["milk"], to: list)
        service.goWrong { _, _ in .problem(Problem(.serviceUnavailable, retryAfter: 600)) }
        _ = await phone.engine.run(.ownChange)
        service.heal()
        #expect(await phone.engine.run(.manual).waiting == 0)
    }

    @Test func `a long list comes in pages, and a cut-off fetch resumes`() async throws {
        let list: ListID = Samples.id()
        let (alice, bob) = (try Phone(service), try Phone(service))
        try await alice.store.addList(list)
        try await alice.add((1...95).map(String.init), to: list)
        _ = await alice.engine.run(.manual)
        service.setPageSize(10)
        let cut = Mutex(3)
        service.goWrong { call, _ in
            guard call == .changes else { return nil }
            return cut.withLock { left in
                left -= 1
                return left == 0 ? .lostResponse : nil
            }
        }
        #expect(await bob.engine.run(.manual).failure != nil)
        #expect(try await bob.texts(of: list).isEmpty, "a partial snapshot shows nothing")
        let calls = service.calls.count
        #expect(await bob.engine.run(.manual).failure == nil)
        #expect(service.calls.count - calls == 8, "the first two pages don't come again")
        #expect(try await bob.texts(of: list) == (1...95).map(String.init))
    }

    @Test func `a restored service gets back what its devices know`() async throws {
        let list: ListID = Samples.id()
        let (alice, bob) = (try Phone(service), try Phone(service))
        try await alice.store.addList(list)
        try await alice.add(["one", "two", "three", "four"], to: list)
        for phone in [alice, bob] { _ = await phone.engine.run(.manual) }
        service.restore(list, losing: 2)
        try await alice.add(["five"], to: list)
        for phone in [alice, bob, alice, bob] { #expect(await phone.engine.run(.manual).failure == nil) }
        #expect(service.entries(of: list).count == 5)
        #expect(try await alice.state(of: list) == bob.state(of: list))
        #expect(Set(try await bob.texts(of: list)) == ["one", "two", "three", "four", "five"])
        #expect(try await alice.store.rejected().isEmpty)
    }

    @Test func `a list that ends leaves the device, and what was unsent stays in sight`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["milk"], to: list)
        _ = await phone.engine.run(.manual)
        try await phone.add(["bread"], to: list)
        service.end(list, because: .removed)
        let report = await phone.engine.run(.manual)
        #expect(report.failure == nil && report.received == 1)
        #expect(try await phone.store.deviceStatus().lists.isEmpty)
        #expect(try await phone.store.rejected().map(\.entry.fields) == [[Fields.text: "bread"]])
    }

    @Test func `compression on the service changes no device's list`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["one", "two", "three"], to: list)
        _ = await phone.engine.run(.manual)
        let entries = service.entries(of: list).map(\.entry)
        _ = try await phone.store.append(
            [Samples.markOff(try #require(entries[1].item))], to: list, made: Samples.time())
        _ = await phone.engine.run(.manual)
        let off = try #require(service.entries(of: list).last?.entry.id)
        service.discard([entries[1].id, off], anchors: [entries[2].id: entries[0].item], in: list)
        #expect(await phone.engine.run(.manual).failure == nil)
        #expect(try await phone.texts(of: list) == ["one", "three"])
        #expect(try await phone.store.journal(of: list).confirmed.count == 2)
    }

    @Test func `a fetch says what waits, names the lists without a token, and asks for digests when it should`()
        async throws
    {
        let (list, other): (ListID, ListID) = (Samples.id(), Samples.id())
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["milk"], to: list)
        _ = await phone.engine.run(.launch)
        let first = try #require(service.fetches.first)
        #expect(first.tokens.isEmpty && first.afresh == [list] && first.digests == true)

        // Now this list has a token. The other list's entries can't be sent.
        try await phone.store.addList(other)
        try await phone.add(["bread", "eggs"], to: other)
        service.goWrong { call, _ in if case .upload = call { .problem(Problem(.quotaExceeded)) } else { nil } }
        _ = await phone.engine.run(.push)
        let second = try #require(service.fetches.last)
        #expect(second.tokens.keys.sorted() == [list] && second.afresh == [other] && second.digests == nil)
        #expect(second.report?.upload == ["add": 2])
    }

    @Test func `a list that was lost on the service and could not go on goes on in the same run`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["one", "two"], to: list)
        _ = await phone.engine.run(.manual)
        try await phone.add(["three"], to: list)
        service.restore(list, losing: 1)
        // The service refuses every upload until the device learns of the restore.
        let isHealed = Mutex(false)
        service.goWrong { call, _ in
            isHealed.withLock { isHealed in
                if call == .changes { isHealed = true }
                if case .upload = call, !isHealed { return .problem(Problem(.listNotFound)) }
                return nil
            }
        }
        let report = await phone.engine.run(.manual)
        #expect(report.failure == nil && report.waiting == 0)
        #expect(service.entries(of: list).count == 3)
    }

    @Test func `a late answer to a compressed entry leaves nothing behind`() async throws {
        let list: ListID = Samples.id()
        let phone = try Phone(service)
        try await phone.store.addList(list)
        try await phone.add(["one", "two"], to: list)
        let second = try #require(try await phone.store.waiting(in: list, limit: 2).last?.entry.id)
        service.goWrong { call, _ in if case .upload = call { .lostResponse } else { nil } }
        _ = await phone.engine.run(.manual)
        service.heal()
        service.discard([second], in: list)
        // The service still knows the id, and answers 'duplicate'. The stream no longer has the entry.
        service.refuse { _ in nil }
        _ = try await phone.store.receive(
            AllChangesResponse(lists: []), at: phone.clock.now.wall)
        try await phone.store.settle(
            [UploadVerdict(entry: second, outcome: .accepted(SequenceNumber(rawValue: 2)))], in: list,
            at: phone.clock.now.wall)
        #expect(await phone.engine.run(.manual).failure == nil)
        #expect(try await phone.texts(of: list) == ["one"])
        #expect(try await phone.store.journal(of: list).pending.isEmpty)
    }
}

/// A clock that a test moves.
final class TestClock: Sendable {
    private let milliseconds = Mutex<Int64>(0)
    var now: DeviceTime { Samples.time(milliseconds.withLock { $0 }) }
    func pass(_ time: Int64) { milliseconds.withLock { $0 += time } }
}
