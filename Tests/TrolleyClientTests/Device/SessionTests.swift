import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct SessionTests {
    let directory = TemporaryDirectory()

    func session(_ account: AccountID = Samples.id(), email: String = "a@example.com") -> AccountSession {
        AccountSession(
            server: "http://localhost:1", token: "secret", account: account, email: email, name: "A",
            device: Samples.id())
    }

    @Test func `lists made before signing in belong to the account, numbered anew for its device`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        try await store.addList(list)
        let made = try await store.append([Samples.add("one"), Samples.add("two")], to: list, made: Samples.time())
        try await store.noteSending([made[1].id], in: list)
        try await store.settle(
            [UploadVerdict(entry: made[0].id, outcome: .rejected(.invalidArguments, nil))], in: list,
            at: Samples.time().wall)
        _ = try await store.append([Samples.add("three")], to: list, made: Samples.time())
        try await store.signIn(session())
        let waiting = try await store.waiting(in: list, limit: 9)
        #expect(waiting.first?.entry == made[1], "what was sent keeps its content")
        #expect(waiting.last?.entry.deviceSequence == 3)
        #expect(try await store.append([Samples.add("four")], to: list, made: Samples.time())[0].deviceSequence == 4)
    }

    @Test func `signing out takes the lists away and keeps what was unsent for the account`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let (sent, unsent): (ListID, ListID) = (Samples.id(), Samples.id())
        let alice: AccountID = Samples.id()
        try await store.signIn(session(alice))
        for list in [sent, unsent] { try await store.addList(list) }
        _ = try await store.append([Samples.add("milk")], to: unsent, made: Samples.time())
        try await store.signOut()
        #expect(try await store.session() == nil)
        #expect(try await store.deviceStatus().lists.isEmpty)
        try await store.signIn(session(email: "b@example.com"))
        #expect(try await store.deviceStatus().lists.isEmpty, "nobody else sees it")
        try await store.signOut()
        try await store.signIn(session(alice))
        #expect(try await store.deviceStatus().lists.map(\.id) == [unsent])
        #expect(try await store.waiting(in: unsent, limit: 9).count == 1)
    }

    @Test func `an account of the same address on the same service succeeds one that it has lost`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        var last = session()
        try await store.signIn(last)
        try await store.addList(list)
        _ = try await store.append([Samples.add("milk")], to: list, made: Samples.time())
        for policy in [SignOutListPolicy.leave, .hide, .stay] {
            try await store.signOut(policy)
            let inSight = try await store.deviceStatus().lists.map(\.isLocal)
            #expect(inSight == (policy == .stay ? [true] : []))
            #expect(try await store.hiddenLists().map(\.waiting) == (policy == .stay ? [] : [1]))
            let next = session(email: "A@example.com")
            #expect(try await store.predecessors(of: next).map(\.id) == [last.account])
            try await store.signIn(next, succeeding: [last.account])
            #expect(
                try await store.deviceStatus().lists == [DeviceStatus.List(id: list, isPublished: false, waiting: 1)])
            #expect(try await store.hiddenLists().isEmpty)
            last = next
        }
        try await store.signOut(.forget)
        #expect(try await store.hiddenLists().isEmpty)
        try await store.signIn(session())
        #expect(try await store.deviceStatus().lists.isEmpty)
    }

    @Test func `a list that was somebody else's is shared under another id, with its undo`() async throws {
        let device = try Device(directory: directory.path)
        let alice: AccountID = Samples.id()
        try await device.store.signIn(session(alice))
        let list = try await device.makeList(named: "Shop")
        try await list.perform([.add(device.identifier(), ["text": "milk"], .bottom)])
        let before = try await list.state()
        try await device.store.signOut(.stay)
        #expect(try await device.currentList() == list)
        try await device.store.signIn(session(email: "b@example.com"))
        let own = try await list.publish()
        #expect(own.id != list.id)
        #expect(try await device.currentList() == own)
        #expect(try await own.state() == before)
        #expect(try await device.queues().waiting == 2)
        #expect(try await own.undo().map(\.operation) == [.delete])
        #expect(try await own.publish() == own)
        await device.close()
    }

    @Test func `a local list stays on the device until it is published, also through signing in and out`() async throws
    {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Diary", isLocal: true)
        try await device.store.signIn(session())
        #expect(try await device.store.deviceStatus().lists.map(\.isLocal) == [true])
        #expect(try await device.store.deviceStatus().waiting == 0)
        try await device.store.signOut()
        #expect(try await list.state().name == "Diary")
        try await list.publish()
        #expect(try await device.store.deviceStatus().waiting == 1)
        await device.close()
    }

    @Test func `undo goes back through a restart, and an undo that was refused never happened`() async throws {
        let list: ListID = Samples.id()
        var device = try Device(directory: directory.path)
        let item: ItemID = device.identifier()
        _ = try await device.store.addList(list)
        try await device.list(list).perform([.add(item, ["text": "milk"], .bottom)])
        try await device.list(list).perform([.edit(item, ["quantity": "2"])])
        try await device.list(list).perform([.markOff(item)])
        await device.close()
        device = try Device(directory: directory.path)
        #expect(try await device.list(list).undo().map(\.operation) == [.unmark])
        #expect(try await device.list(list).undo().map(\.operation) == [.edit])
        #expect(try await device.list(list).state().items.first?.fields == ["text": "milk"])
        let redone = try await device.list(list).redo()
        #expect(redone.map(\.operation) == [.edit])
        try await device.store.settle(
            redone.map { UploadVerdict(entry: $0.id, outcome: .rejected(.permissionFailure, nil)) }, in: list,
            at: Samples.time().wall)
        #expect(try await device.list(list).redo().map(\.operation) == [.edit])
        #expect(try await device.list(list).undo().count == 1)
        #expect(try await device.list(list).undo().map(\.operation) == [.delete])
        #expect(try await device.list(list).undo().isEmpty)
        await device.close()
    }

    @Test func `a change shows even when the wall clock was set back`() async throws {
        let clock = TestClock()
        let device = try Device(directory: directory.path, clock: { clock.now })
        let list = try await device.makeList(named: "Shop")
        clock.pass(-3_600_000)
        try await list.perform([.rename("Party")])
        #expect(try await list.state().name == "Party")
        await device.close()
    }

    @Test func `a run that is cancelled gives up on the network only`() async throws {
        let device = try Device(directory: directory.path)
        try await device.store.signIn(session())
        _ = try await device.makeList(named: "Shop")
        let report = try await device.sync(.manual, within: .zero)
        #expect(report.waiting == 1 && report.failure == .stopped && report.nextTry == nil)
        await device.close()
    }

    @Test func `rejected entries can be sent again`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        let entries = try await list.perform([.add(device.identifier(), ["text": "milk"], .bottom)])
        let verdict = UploadVerdict(entry: entries[0].id, outcome: .rejected(.permissionFailure, nil))
        try await device.store.settle([verdict], in: list.id, at: Samples.time().wall)
        #expect(try await list.state().items.isEmpty)
        #expect(try await device.retryRejected() == 1)
        #expect(try await list.state().items.map(\.text) == ["milk"])
        #expect(try await device.queues().rejected.isEmpty)
        await device.close()
    }

    @Test func `dismissed entries are returned, once`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        let entries = try await list.perform([.add(device.identifier(), ["text": "milk"], .bottom)])
        let verdict = UploadVerdict(entry: entries[0].id, outcome: .rejected(.permissionFailure, nil))
        try await device.store.settle([verdict], in: list.id, at: Samples.time().wall)
        let gone = AllChangesResponse(lists: [], gone: [list.id: .stoppedSharing])
        _ = try await device.store.receive(gone, at: Samples.time().wall)
        let dismissed = try await device.dismiss()
        #expect(dismissed.rejected.map(\.entry.id).contains(entries[0].id))
        #expect(dismissed.notices.map(\.reason) == [.stoppedSharing])
        let again = try await device.dismiss()
        #expect(again.rejected.isEmpty && again.notices.isEmpty)
        await device.close()
    }

    @Test func `text that no list can hold is refused at once`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        for text in ["a\0b", String(repeating: "x", count: 4096)] {
            await #expect(throws: DeviceError.self) {
                try await list.perform([.add(device.identifier(), ["text": .string(text)], .bottom)])
            }
        }
        #expect(try await device.queues().waiting == 1)
        await device.close()
    }

    @Test func `an invitation is only told to the service that it is for`() async throws {
        let device = try Device(directory: directory.path)
        try await device.store.signIn(session())
        await #expect(throws: DeviceError.invitationOfAnotherService("http://elsewhere:1")) {
            _ = try await device.join("http://elsewhere:1/join#secret")
        }
        for link in ["", "#", "http://localhost:1/join#", "http://localhost:1/other#abc", "a b"] {
            await #expect(throws: DeviceError.notAnInvitation) { _ = try await device.join(link) }
        }
        // This is another name of this machine, so the call reaches the network.
        let error = await #expect(throws: DeviceError.self) {
            _ = try await device.join("http://127.0.0.1:1/join#secret")
        }
        guard case .transport(.unreachable) = error else {
            Issue.record("it should have tried")
            return
        }
        await device.close()
    }
}
