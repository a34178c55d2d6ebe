import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@Suite("The queues of a hosted device", .timeLimit(.minutes(20)))
struct HostedQueueStoreTests {
    // Uploads within the service are under way for no time that counts, and the queues are restored with it.
    static let checks = QueueStoreCheck.all.filter { check in
        !(QueueStoreCheck.offers + [.underWay]).contains { $0.name == check.name }
    }

    @Test("hosted queues pass the checks for stores", arguments: checks)
    func conforms(_ check: QueueStoreCheck) async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let store = test.store
            try await check.run { HostedQueueStore(store: store, device: device, account: nil) }
        }
    }

    @Test(
        "entries wait for an acknowledgement without limit, except for items added and finished over three hours before"
    )
    func acknowledgement() async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let store = HostedQueueStore(
                store: test.store, device: device, account: nil, waitsForAcknowledgement: true)
            let list: ListID = Samples.id()
            let hour: Int64 = 3_600_000
            let (jam, rice) = (Samples.add("jam"), Samples.add("rice"))
            let off = Samples.markOff(try #require(jam.item))
            let changes = [jam, off, rice].enumerated().map { index, entry in
                let sequence = SequenceNumber(rawValue: Int64(index) + 1)
                return Change(
                    sequence: sequence,
                    body: .entry(
                        ConfirmedEntry(
                            entry: entry, sequence: sequence, author: Samples.id(), device: Samples.id(),
                            madeAt: Samples.time().wall, receivedAt: Samples.time().wall)))
            }
            func fetch(_ changes: [Change], snapshot: Bool, after hours: Int64) async throws {
                let page = ChangesPage(changes: changes, token: "\(hours)", moreComing: false, snapshot: snapshot)
                _ = try await store.receive(
                    AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time(hours * hour).wall)
                try await store.apply(in: list, shopping: false)
            }
            try await fetch(changes, snapshot: true, after: 2)
            #expect(try await store.toApply(in: list).map(\.entry) == [jam, off, rice])
            #expect(try await store.state(of: list).items.count == 2, "all that was received is shown")
            try await fetch([], snapshot: false, after: 4)
            #expect(try await store.toApply(in: list).map(\.entry) == [rice])
            #expect(try await store.state(of: list).items.map(\.text) == ["rice"])
            try await fetch([], snapshot: false, after: 4000)
            #expect(try await store.toApply(in: list).map(\.entry) == [rice], "what is still wanted waits")
        }
    }

    @Test("two devices on the same list know nothing of each other's queues")
    func apart() async throws {
        try await TestStore.with { test in
            let one = HostedQueueStore(
                store: test.store, device: try await test.hostedDevice("one"), account: nil)
            let other = HostedQueueStore(
                store: test.store, device: try await test.hostedDevice("other"), account: nil)
            let list: ListID = Samples.id()
            try await one.addList(list)
            try await other.addList(list)
            _ = try await one.append([Samples.add("milk")], to: list, made: Samples.time())
            #expect(try await other.waiting(in: list, limit: 10).isEmpty)
            #expect(try await other.journal(of: list).pending.isEmpty)
        }
    }

    @Test("several processes number a device's entries without gaps")
    func numbers() async throws {
        try await TestStore.with(connections: 6) { test in
            let device = try await test.hostedDevice()
            let list: ListID = Samples.id()
            let store = HostedQueueStore(store: test.store, device: device, account: nil)
            try await store.addList(list)
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask { _ = try await store.append([Samples.add("x")], to: list, made: Samples.time()) }
                }
                try await group.waitForAll()
            }
            let numbers = try await store.waiting(in: list, limit: 100).map(\.entry.deviceSequence)
            #expect(numbers == Array(1...20))
        }
    }

    @Test("only one process at a time drives a device, and its right ends with it")
    func claims() async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let (one, other) = (UUIDBits(high: 1, low: 1), UUIDBits(high: 2, low: 2))
            #expect(try await test.store.claimHostedDevice(device, driver: one))
            #expect(try await !test.store.claimHostedDevice(device, driver: other))
            try await test.store.releaseHostedDevice(device, driver: other, seen: [:], rest: nil)
            #expect(try await !test.store.claimHostedDevice(device, driver: other), "another's right is not given back")
            try await test.store.releaseHostedDevice(device, driver: one, seen: [:], rest: nil)
            #expect(try await test.store.claimHostedDevice(device, driver: other))
            // The state after a process died longer ago than a lease.
            _ = try await test.pool.withConnection { connection in
                try await connection.execute("UPDATE hosted_device SET driven_until = now()")
            }
            #expect(try await test.store.claimHostedDevice(device, driver: one))
        }
    }

    @Test("the right of a process that has died is over within seconds; that of one that is at work is renewed")
    func leases() async throws {
        try await TestStore.with { test in
            let device = try await test.hostedDevice()
            let (one, other) = (UUIDBits(high: 1, low: 1), UUIDBits(high: 2, low: 2))
            func left(setting: Query? = nil) async throws -> Int64 {
                try await test.pool.withConnection { connection in
                    if let setting { try await connection.execute(setting) }
                    return try await connection.execute(
                        "SELECT (extract(epoch FROM driven_until - now()) * 1000)::bigint FROM hosted_device")[0]
                        .decode(Int64.self, at: 0)
                }
            }
            #expect(try await test.store.claimHostedDevice(device, driver: one))
            #expect(try await left() <= 5000)
            // A renewal sets it to the length of a lease.
            _ = try await left(setting: "UPDATE hosted_device SET driven_until = now() + interval '1 hour'")
            try await test.store.renewHostedDevices([device], driver: other)
            #expect(try await left() > 5000, "another's right is not renewed")
            try await test.store.renewHostedDevices([device], driver: one)
            #expect(try await left() <= 5000)
            _ = try await left(setting: "UPDATE hosted_device SET driven_until = now()")
            try await test.store.renewHostedDevices([device], driver: one)
            #expect(try await test.store.claimHostedDevice(device, driver: other), "what is over stays over")
        }
    }

    @Test("a device has work when it has something to send, or a list is new to it, has grown, or is gone")
    func work() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let device = try await test.hostedDevice(of: anna.account)
            let queues = HostedQueueStore(store: test.store, device: device, account: nil)
            let driver = UUIDBits(high: 1, low: 1)
            func hasWork() async throws -> Bool { try await !test.store.hostedDevicesWithWork(limit: 10).isEmpty }
            func see(_ list: ListID, _ head: Int64, _ token: String) async throws {
                let page = ChangesPage(changes: [], token: token, moreComing: false, snapshot: true)
                _ = try await queues.receive(
                    AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
                try await test.store.releaseHostedDevice(
                    device, driver: driver, seen: [list: SequenceNumber(rawValue: head)], rest: nil)
            }
            #expect(try await !hasWork())
            let list = try await test.list(of: anna)
            #expect(try await hasWork(), "a new list")
            try await see(list, 0, "a")
            #expect(try await !hasWork())
            try await test.upload([.add("milk")], to: list, by: anna)
            #expect(try await hasWork(), "a list that has grown")
            try await see(list, 1, "b")
            #expect(try await !hasWork())
            _ = try await queues.append([Samples.add("bread")], to: list, made: Samples.time())
            #expect(try await hasWork(), "something to send")
            _ = try await test.store.claimHostedDevice(device, driver: driver)
            #expect(try await !hasWork(), "somebody drives it")
            try await test.store.releaseHostedDevice(device, driver: driver, seen: [:], rest: 60_000)
            #expect(try await !hasWork(), "it rests")
            _ = try await test.store.claimHostedDevice(device, driver: driver)
            try await test.store.releaseHostedDevice(device, driver: driver, seen: [:], rest: nil)
            _ = try await queues.settle(
                try await queues.waiting(in: list, limit: 1).map {
                    UploadVerdict(entry: $0.entry.id, outcome: .rejected(.invalidArguments, nil))
                }, in: list, at: Samples.time().wall)
            #expect(try await !hasWork())
            try await test.store.deleteList(list, by: anna.account)
            #expect(try await hasWork(), "a list that is gone")
        }
    }

    @Test("a list that waits by itself is no work until its next try is due")
    func waiting() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let device = try await test.hostedDevice(of: anna.account)
            let queues = HostedQueueStore(store: test.store, device: device, account: anna.account)
            func hasWork() async throws -> Bool { try await !test.store.hostedDevicesWithWork(limit: 10).isEmpty }
            let list = try await test.list(of: anna)
            try await queues.addList(list)
            _ = try await queues.append([Samples.add("bread")], to: list, made: Samples.time())
            #expect(try await hasWork(), "a list to fetch, and an entry to send")
            let now = try await test.store.now()
            for (nextTry, isDue) in [(now.advanced(byMilliseconds: 3_600_000), false), (now, true)] {
                var retryState = RetryState()
                retryState.lists = [ListWait(list: list, failures: 1, nextTry: nextTry, askedToWait: false)]
                try await queues.saveRetryState(retryState)
                #expect(try await hasWork() == isDue)
            }
            var retryState = RetryState()
            retryState.lists = [
                ListWait(
                    list: list, failures: 1, nextTry: now.advanced(byMilliseconds: 3_600_000), askedToWait: false)
            ]
            try await queues.saveRetryState(retryState)
            _ = try await test.list(of: anna)
            #expect(try await hasWork(), "another list")
        }
    }

    @Test("deleting a device takes its queues with it, and its token opens nothing")
    func deleting() async throws {
        try await TestStore.with { test in
            let anna = try await test.person("anna")
            let device = try await test.hostedDevice(of: anna.account)
            let queues = HostedQueueStore(store: test.store, device: device, account: nil)
            let list: ListID = Samples.id()
            try await queues.addList(list)
            _ = try await queues.append([Samples.add("milk")], to: list, made: Samples.time())
            #expect(try await test.store.hostedSession(device, of: anna.account) != nil)
            try await test.store.deleteHostedDevice(device, of: anna.account)
            #expect(try await test.store.hostedSession(device, of: anna.account) == nil)
            #expect(try await test.store.hostedDevices(of: anna.account).isEmpty)
            let left = try await test.pool.withConnection { try await $0.execute("SELECT FROM hosted_pending") }
            #expect(left.isEmpty)
        }
    }
}

extension TestStore {
    /// A hosted device of an account, or of a new one.
    func hostedDevice(_ name: String = "anna", of account: AccountID? = nil) async throws -> DeviceID {
        let owner = if let account { account } else { try await person(name).account }
        let hashes = (0..<2).map { _ in (0..<32).map { _ in UInt8.random(in: .min ... .max) } }
        return try await store.createHostedDevice(
            account: owner, name: "speaker", tokenHash: hashes[0], unusable: hashes[1], defaultList: nil, limit: 20)
    }
}
