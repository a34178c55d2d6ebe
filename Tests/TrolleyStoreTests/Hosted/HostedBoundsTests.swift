import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleySyncTesting
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

@Suite("Bounds of a hosted device's queues", .timeLimit(.minutes(20)))
struct HostedBoundsTests {
    private struct Scene {
        let test: TestStore
        let anna: Session
        let list: ListID
        let queues: HostedQueueStore

        /// - Parameter sends: whether the change may be appended to the journal at once.
        @discardableResult
        func add(_ text: String, sends: Bool) async throws -> HostedChangeResult {
            let sending = HostedSending(limits: Limits(), quotas: .none) { _, _ in "token" }
            return try await queues.perform(
                HostedChange(operation: .add, target: nil, fields: ["text": .string(text)]), on: list,
                by: anna.account, made: Samples.time(), sending: sends ? sending : nil)
        }

        /// Fills the upload queue.
        func fill(_ count: Int = HostedQueueStore.maxWaiting) async throws -> [JournalEntry] {
            let entries = (1...count).map { Samples.add("item \($0)") }
            return try await queues.append(entries, to: list, made: Samples.time())
        }

        func reject(_ entries: [JournalEntry]) async throws {
            try await queues.settle(
                entries.map { UploadVerdict(entry: $0.id, outcome: .rejected(.quotaExceeded, "no room")) }, in: list,
                at: Samples.time().wall)
        }
    }

    /// A hosted device that has fetched its only list.
    private func with(_ body: (Scene) async throws -> Void) async throws {
        try await TestStore.with(connections: 4) { test in
            let anna = try await test.person("anna")
            let list = try await test.list(of: anna)
            let device = try await test.hostedDevice(of: anna.account)
            let queues = HostedQueueStore(store: test.store, device: device, account: anna.account)
            let page = ChangesPage(changes: [], token: "fetched", moreComing: false, snapshot: true)
            _ = try await queues.receive(
                AllChangesResponse(lists: [.init(id: list, page: page)]), at: Samples.time().wall)
            try await body(Scene(test: test, anna: anna, list: list, queues: queues))
        }
    }

    @Test("a change for which the upload queue has no room is refused, and all that wait go on waiting")
    func upload() async throws {
        try await with { scene in
            let waiting = try await scene.fill()
            for sends in [true, false] {
                await #expect(throws: HostedChangeError.tooManyWaiting) { try await scene.add("milk", sends: sends) }
            }
            #expect(try await scene.queues.waiting(in: scene.list, limit: .max).map(\.entry) == waiting)
            try await scene.reject([waiting[0]])
            #expect(try await scene.add("milk", sends: false).waiting == HostedQueueStore.maxWaiting)
        }
    }

    @Test("a change is refused, and not sent either, while too many of the device's entries have not come back")
    func unconfirmed() async throws {
        try await with { scene in
            _ = try await scene.fill()
            try await scene.test.run("UPDATE hosted_pending SET sequence = position")
            for sends in [true, false] {
                await #expect(throws: HostedChangeError.tooManyWaiting) { try await scene.add("milk", sends: sends) }
            }
            #expect(try await scene.test.entries(scene.list, seenBy: scene.anna).isEmpty)
        }
    }

    @Test("with too many rejected entries, a change that must wait is refused until they are dismissed")
    func rejected() async throws {
        try await with { scene in
            try await scene.reject(try await scene.fill())
            await #expect(throws: HostedChangeError.tooManyRejected) { try await scene.add("milk", sends: false) }
            #expect(try await scene.queues.deviceStatus().waiting == 0)
            #expect(try await scene.queues.queues(limit: 1).rejectedCount == HostedQueueStore.maxRejected)
            if TestNodes.shared == nil {
                #expect(try await scene.add("bread", sends: true).waiting == 0, "the service takes it at once")
            }
            try await scene.queues.dismissRejected()
            #expect(try await scene.add("milk", sends: false).waiting == 1)
        }
    }

    @Test("only rejected entries that the integration has seen are dismissed")
    func dismissed() async throws {
        try await with { scene in
            let seen = try await scene.fill(3)
            try await scene.reject(seen)
            let later = try await scene.fill(2)
            try await scene.reject(later)
            try await scene.queues.dismissRejected(through: seen[1].id)
            #expect(try await scene.queues.rejected().map(\.entry.id) == [seen[2].id] + later.map(\.id))
            // Dismissed already, so that a repeated call takes none that came since.
            try await scene.queues.dismissRejected(through: seen[1].id)
            #expect(try await scene.queues.rejected().count == 3)
            try await scene.queues.dismissRejected()
            #expect(try await scene.queues.rejected().isEmpty)
        }
    }

    @Test("a list that is never fetched takes no changes")
    func unfetched() async throws {
        try await with { scene in
            let list = try await scene.test.list(of: scene.anna)
            try await scene.queues.addList(list)
            let other = Scene(test: scene.test, anna: scene.anna, list: list, queues: scene.queues)
            for sends in [true, false] {
                await #expect(throws: HostedChangeError.notFetched) { try await other.add("milk", sends: sends) }
            }
            #expect(try await scene.test.entries(list, seenBy: scene.anna).isEmpty)
        }
    }

    @Test("a list that fails again and again takes no more changes when one hasn't come back")
    func neverStored() async throws {
        try await with { scene in
            var retryState = RetryState()
            func fail(_ failures: Int) async throws {
                let later = Samples.time().wall.advanced(byMilliseconds: 60_000)
                retryState.lists = [
                    ListWait(list: scene.list, failures: failures, nextTry: later, askedToWait: false)
                ]
                try await scene.queues.saveRetryState(retryState)
            }
            // What waits to be sent is no sign of it: the list may be away.
            try await fail(5)
            _ = try await scene.fill(1)
            try await scene.add("bread", sends: false)
            try await scene.test.run("UPDATE hosted_pending SET sequence = position")
            try await fail(1)
            try await scene.add("tea", sends: false)
            try await fail(2)
            for sends in [true, false] {
                await #expect(throws: HostedChangeError.notStored) { try await scene.add("milk", sends: sends) }
            }
            retryState.lists = nil
            try await scene.queues.saveRetryState(retryState)
            try await scene.add("milk", sends: false)
        }
    }

    @Test("an integration reads the first entries of each queue, and the number of all")
    func pages() async throws {
        try await with { scene in
            try await scene.reject(try await scene.fill(20))
            let waiting = try await scene.fill(10)
            let now = Samples.time().wall
            let note = String(repeating: "x", count: 3000)
            let received = (1...800).map { number in
                var entry = Samples.add("received \(number)")
                entry.fields["note"] = .string(note)
                return ConfirmedEntry(
                    entry: entry, sequence: SequenceNumber(rawValue: Int64(number)), author: Samples.id(),
                    device: Samples.id(), madeAt: now, receivedAt: now)
            }
            let page = ChangesPage(
                changes: received.map { Change(sequence: $0.sequence, body: .entry($0)) }, token: "b",
                moreComing: false, snapshot: false)
            _ = try await scene.queues.receive(
                AllChangesResponse(lists: [.init(id: scene.list, page: page)]), at: now)

            var queues = try await scene.queues.queues(limit: 3)
            let list = try #require(queues.lists.first)
            #expect(list.upload.entries == Array(waiting.prefix(3)) && list.upload.counts == [.add: 10])
            #expect(list.toApply.entries == received.prefix(3).map(\.entry) && list.toApply.counts == [.add: 800])
            #expect(queues.rejected.map(\.entry.fields["text"]) == (1...3).map { .string("item \($0)") })
            #expect(queues.rejectedCount == 20)
            // 800 entries of 3 KB are more than an answer has.
            queues = try await scene.queues.queues(limit: 1000)
            let shown = try #require(queues.lists.first?.toApply.entries.count)
            #expect((500..<800).contains(shown) && queues.lists.first?.toApply.count == 800)
            #expect(queues.lists.first?.upload.entries == waiting && queues.rejected.count == 20)
            let toApply = try await scene.queues.toApply(limit: 1000)
            #expect(toApply.entries.count == shown && toApply.total == 800)
        }
    }
}
