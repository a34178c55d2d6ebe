import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct PeopleTests {
    let directory = TemporaryDirectory()

    @Test func `entries to apply don't count as read`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        let now = Samples.time().wall
        let changes = (Int64(1)...3).map { place in
            let sequence = SequenceNumber(rawValue: place)
            let entry = ConfirmedEntry(
                entry: Samples.add("item \(place)"), sequence: sequence, author: Samples.id(), device: Samples.id(),
                madeAt: now, receivedAt: now)
            return Change(sequence: sequence, body: .entry(entry))
        }
        let page = ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: true)
        _ = try await store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
        #expect(try await store.shown(of: list) == .start)
        try await store.apply(in: list, shopping: false)
        #expect(try await store.shown(of: list).rawValue == 3)
    }

    @Test func `read marks count entries, not changes of the participants`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        let now = Samples.time().wall
        func receive(_ body: Change.Body, _ place: Int64, snapshot: Bool = false) async throws {
            let change = Change(sequence: SequenceNumber(rawValue: place), body: body)
            let page = ChangesPage(changes: [change], token: "\(place)", moreComing: false, snapshot: snapshot)
            _ = try await store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
        }
        func entry(_ place: Int64) -> Change.Body {
            .entry(
                ConfirmedEntry(
                    entry: Samples.add("item"), sequence: SequenceNumber(rawValue: place), author: Samples.id(),
                    device: Samples.id(), madeAt: now, receivedAt: now))
        }
        try await receive(.share(ShareState()), 1, snapshot: true)
        #expect(try await store.shown(of: list) == .start)
        try await receive(entry(2), 2)
        try await receive(.share(ShareState()), 3)
        #expect(try await store.shown(of: list) == .start)
        try await store.apply(in: list, shopping: false)
        #expect(try await store.shown(of: list).rawValue == 2)
        try await receive(entry(4), 4)
        #expect(try await store.shown(of: list).rawValue == 2)
    }

    @Test func `a deleted account leaves nothing behind, and lists on this device alone stay`() async throws {
        let device = try Device(directory: directory.path)
        let session = AccountSession(
            server: "http://localhost:1", token: "secret", account: Samples.id(), email: "a@example.com", name: "A",
            device: Samples.id())
        try await device.store.signIn(session)
        _ = try await device.makeList(named: "Shop")
        let diary = try await device.makeList(named: "Diary", isLocal: true)
        try await device.store.forgetAccount(of: session)
        #expect(try await device.session() == nil)
        #expect(try await device.lists().map(\.id) == [diary.id])
        try await device.store.signIn(session)
        #expect(try await device.lists().map(\.id) == [diary.id])
        await device.close()
    }

    @Test func `an invitation to sign up with is only told to the service that it is for`() async throws {
        let device = try Device(directory: directory.path)
        await #expect(throws: DeviceError.invitationOfAnotherService("http://elsewhere:1")) {
            _ = try await device.signUp(
                server: "http://localhost:1", email: "a@example.com", name: "A", password: "correct horse",
                invitation: "http://elsewhere:1/join#secret")
        }
        await device.close()
    }
}
