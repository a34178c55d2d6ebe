import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyStore

@Suite("What a hosted device shows of a list that its person is not on any more", .timeLimit(.minutes(20)))
struct HostedMembershipTests {
    enum Leaving: CaseIterable {
        case removed, stoppedSharing, left, deleted
    }

    @Test("nothing, from the moment on, also while nobody drives the device", arguments: Leaving.allCases)
    func nothing(_ leaving: Leaving) async throws {
        try await TestStore.with { test in
            let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
            let list = try await test.list(of: anna)
            try await test.add(ben, to: list, of: anna)
            try await test.upload([.add("milk")], to: list, by: anna)
            let device = try await test.hostedDevice(of: ben.account)
            let queues = HostedQueueStore(store: test.store, device: device, account: ben.account)
            let page = ChangesPage(
                changes: try await test.stream(list, seenBy: ben), token: "a", moreComing: false, snapshot: true)
            _ = try await queues.receive(
                AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
            let off = HostedChange(operation: .markOff, target: .text("milk"), fields: [:])
            #expect(try await queues.shown(list).state.items.map(\.text) == ["milk"])
            #expect(try await queues.list(nil) == list)
            #expect(try await queues.queues(limit: 10).lists.map(\.id) == [list])
            #expect(try await queues.toApply(limit: 10).entries.map(\.list) == [list])
            #expect(try await queues.perform(off, on: list, by: ben.account, made: Samples.time()).item.text == "milk")
            _ = try await test.store.claimHostedDevice(device, driver: UUIDBits(high: 1, low: 1))

            switch leaving {
            case .removed: try await test.store.removeParticipant(ben.account, from: list, by: anna.account)
            case .stoppedSharing: try await test.store.stopSharing(list, by: anna.account)
            case .left: try await test.store.removeParticipant(ben.account, from: list, by: ben.account)
            case .deleted: try await test.store.deleteList(list, by: anna.account)
            }
            #expect(try await queues.deviceStatus().lists.map(\.id) == [list], "it still has its copy")
            await #expect(throws: HostedChangeError.noSuchList) { try await queues.shown(list) }
            for name in ["\(list)", nil] {
                await #expect(throws: HostedChangeError.noSuchList) { try await queues.list(name) }
            }
            #expect(try await queues.queues(limit: 10).lists.isEmpty)
            let toApply = try await queues.toApply(limit: 10)
            #expect(toApply.entries.isEmpty && toApply.total == 0)
            await #expect(throws: HostedChangeError.noSuchList) {
                try await queues.perform(off, on: list, by: ben.account, made: Samples.time())
            }
            #expect(try await test.store.hosts(of: [list]) == [ben.account], "so it is looked at")
        }
    }
}
