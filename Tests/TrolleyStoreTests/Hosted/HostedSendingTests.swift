import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// A hosted device's change is stored in its upload queue and in the list's journal in one transaction.
@Suite(
    "Sending what a hosted device changes", .enabled(if: TestNodes.shared == nil, "for one server"),
    .timeLimit(.minutes(20)))
struct HostedSendingTests {
    private struct Scene {
        let test: TestStore
        let anna: Session
        let list: ListID
        let queues: HostedQueueStore

        /// - Parameter sends: whether the change may be appended to the journal at once.
        func change(
            _ text: String, _ operation: TrolleyJournal.Operation = .add, entry: EntryID? = nil, sends: Bool = true
        ) async throws -> HostedChangeResult {
            let sending = HostedSending(limits: Limits(), quotas: .none) { "token of \($0) \($1.head.rawValue)" }
            return try await queues.perform(
                HostedChange(
                    operation: operation, target: operation == .add ? nil : .text(text),
                    fields: operation == .add ? ["text": .string(text)] : [:], entry: entry),
                on: list, by: anna.account, made: Samples.time(), sending: sends ? sending : nil)
        }

        /// The changes of a fetch from the device's position; none if the device is up to date.
        func fetch() async throws {
            let changes = try await test.stream(list, seenBy: anna)
            let page = ChangesPage(changes: changes, token: "fetched", moreComing: false, snapshot: true)
            _ = try await queues.receive(
                AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
            try await test.store.releaseHostedDevice(
                queues.device, driver: UUIDBits(high: 1, low: 1),
                seen: [list: changes.last?.sequence ?? .start], rest: nil)
        }

        var journal: [String] {
            get async throws {
                try await test.entries(list, seenBy: anna).map { "\($0.entry.fields["text"]?.string ?? "-")" }
            }
        }

        func shown() async throws -> [String] { try await queues.shown(list).state.items.map(\.text) }
    }

    private func with(connections: Int = 4, _ body: (Scene) async throws -> Void) async throws {
        try await TestStore.with(connections: connections) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            try await test.upload([.add("eggs")], to: list, by: anna)
            let device = try await test.hostedDevice(of: anna.account)
            let scene = Scene(
                test: test, anna: anna, list: list,
                queues: HostedQueueStore(store: test.store, device: device, account: anna.account))
            try await scene.fetch()
            try await body(scene)
        }
    }

    @Test("a device that has everything has its own change back at once, and nothing is left to do")
    func inStep() async throws {
        try await with { scene in
            let changed = try await scene.change("milk")
            #expect(changed.appended?.results.map(\.status) == [.applied] && changed.waiting == 0)
            #expect(try await scene.journal == ["eggs", "milk"])
            let deviceStatus = try await scene.queues.deviceStatus().lists
            #expect(deviceStatus.map(\.waiting) == [0] && deviceStatus.map(\.token) == ["token of \(scene.list) 2"])
            #expect(try await scene.queues.toApply(in: scene.list).map(\.entry.fields["text"]) == [.string("eggs")])
            #expect(try await scene.test.store.hostedDevicesWithWork(limit: 9).isEmpty)
            // A fetch would store the same.
            let device = try await scene.test.pool.withConnection { connection in
                try await connection.execute("SELECT content FROM hosted_entry ORDER BY sequence").map {
                    try ConfirmedEntry(content: try $0.decode(String.self, at: 0))
                }
            }
            #expect(try await scene.test.entries(scene.list, seenBy: scene.anna) == device)
            #expect(try await scene.change("milk", .markOff).item.markedOff)
            #expect(try await scene.change("jam").item.text == "jam")
            #expect(try await scene.shown() == ["eggs", "milk", "jam"], "what is added comes to the bottom")
            #expect(
                try await scene.test.entries(scene.list, seenBy: scene.anna).map(\.entry.deviceSequence) == [
                    1, 1, 2, 3,
                ])
        }
    }

    @Test("a device that lacks others' changes, or is driven, gets its own change by the next fetch")
    func behind() async throws {
        try await with { scene in
            try await scene.test.upload([.add("rice")], to: scene.list, by: scene.anna)
            #expect(try await scene.change("milk").waiting == 0)
            #expect(try await scene.queues.deviceStatus().lists.map(\.token) == ["fetched"])
            #expect(try await scene.test.store.hostedDevicesWithWork(limit: 9).count == 1)
            #expect(try await scene.shown() == ["eggs", "milk"])
            try await scene.fetch()
            // An item without an anchor goes to the top, and the hosted device's own item to the bottom.
            #expect(try await scene.shown() == ["rice", "eggs", "milk"])
            #expect(
                try await scene.test.store.claimHostedDevice(scene.queues.device, driver: UUIDBits(high: 2, low: 2)))
            #expect(try await scene.change("jam").waiting == 0)
            #expect(try await scene.queues.deviceStatus().lists.map(\.token) == ["fetched"])
            #expect(try await scene.journal == ["eggs", "rice", "milk", "jam"])
        }
    }

    @Test("an entry that can't be appended at once waits in the upload queue, and so do later entries")
    func waits() async throws {
        try await with { scene in
            let own = EntryID.version7(at: .now, random: RandomBits.random)
            // The list has an entry with this id that the device has not seen.
            var taken = JournalEntry.add("rice")
            taken.id = own
            try await scene.test.upload([taken], to: scene.list, by: scene.anna)
            let refused = try await scene.change("milk", entry: own)
            #expect(refused.appended == nil && refused.waiting == 1)
            let next = try await scene.change("jam")
            #expect(next.appended == nil && next.waiting == 2, "no entry overtakes another")
            #expect(try await scene.journal == ["eggs", "rice"])
            let waiting = try await scene.queues.waiting(in: scene.list, limit: 9)
            #expect(waiting.map(\.entry.id) == [own, next.entry] && waiting.map(\.entry.deviceSequence) == [1, 2])
            #expect(try await scene.shown() == ["eggs", "milk", "jam"], "it is in the list all the same")
        }
    }

    @Test("somebody else who holds the list holds nobody up: the change waits in the upload queue")
    func held() async throws {
        try await with { scene in
            try await scene.test.pool.withTransaction { connection in
                try await connection.execute("SELECT FROM list FOR NO KEY UPDATE")
                let changed = try await scene.change("milk")
                #expect(changed.appended == nil && changed.waiting == 1)
            }
        }
    }

    @Test("a read-only participant is refused, and nothing is stored")
    func readOnly() async throws {
        try await with { scene in
            let ben = try await scene.test.person("ben")
            try await scene.test.add(ben, to: scene.list, of: scene.anna, .readOnly)
            let device = try await scene.test.hostedDevice(of: ben.account)
            let theirs = Scene(
                test: scene.test, anna: ben, list: scene.list,
                queues: HostedQueueStore(store: scene.test.store, device: device, account: ben.account))
            try await theirs.fetch()
            for sends in [true, false] {
                await #expect(throws: HostedChangeError.readOnly) { try await theirs.change("milk", sends: sends) }
            }
            #expect(try await theirs.queues.deviceStatus().waiting == 0)
            #expect(try await scene.journal == ["eggs"])
        }
    }

    @Test(
        "the queue and the journal have it, or neither",
        arguments: [
            "INSERT ON hosted_pending", "INSERT ON hosted_counter", "UPDATE ON hosted_list", "INSERT ON hosted_entry",
        ])
    func allOrNothing(_ failure: String) async throws {
        try await with { scene in
            try await scene.test.pool.withConnection { connection in
                try await connection.run(
                    script: """
                        CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
                        BEGIN RAISE EXCEPTION 'the disk is full'; END $$;
                        CREATE TRIGGER failure BEFORE \(failure) FOR EACH ROW EXECUTE FUNCTION fail();
                        """)
            }
            // This fails only when the entry comes back at once. Then the entry waits.
            let changed = try? await scene.change("milk")
            #expect((changed != nil) == (failure == "INSERT ON hosted_entry"))
            #expect(try await scene.journal == ["eggs"])
            #expect(try await scene.queues.deviceStatus().waiting == (changed == nil ? 0 : 1))
        }
    }

    @Test("uploads to the list and changes of its devices, all at once, are each taken once, in some order")
    func contention() async throws {
        try await with(connections: 8) { scene in
            let other = Scene(
                test: scene.test, anna: scene.anna, list: scene.list,
                queues: HostedQueueStore(
                    store: scene.test.store, device: try await scene.test.hostedDevice(of: scene.anna.account),
                    account: scene.anna.account))
            try await other.fetch()
            try await withThrowingTaskGroup { group in
                for number in 1...10 {
                    group.addTask {
                        _ = try await scene.test.upload([.add("upload \(number)")], to: scene.list, by: scene.anna)
                    }
                    for device in [scene, other] {
                        group.addTask { _ = try await device.change("\(device.queues.device) \(number)") }
                    }
                }
                try await group.waitForAll()
            }
            let waiting = try await scene.queues.deviceStatus().waiting + other.queues.deviceStatus().waiting
            let entries = try await scene.test.entries(scene.list, seenBy: scene.anna)
            #expect(entries.count + waiting == 31 && waiting == 0, "the lane lets them pass one after another")
            #expect(entries.map(\.sequence.rawValue) == Array(1...31))
            for device in [scene, other] {
                let numbers = entries.filter { $0.device == device.queues.device }.map(\.entry.deviceSequence)
                #expect(numbers == Array(1...10))
            }
        }
    }
}
