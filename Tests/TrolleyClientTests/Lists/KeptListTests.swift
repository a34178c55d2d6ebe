import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Two people share a device and a list. The service has lost one person's membership; their kept list is theirs alone.
@Suite(.timeLimit(.minutes(20))) struct KeptListTests {
    let directory = TemporaryDirectory()
    let list: ListID = Samples.id()
    let now = Samples.time().wall
    let anna = Self.session("anna@example.com")
    let ben = Self.session("ben@example.com")

    private static func session(_ email: String) -> AccountSession {
        AccountSession(
            server: "http://localhost:1", token: "secret", account: Samples.id(), email: email, name: "A",
            device: Samples.id())
    }

    static let succession = QueueStoreCheck.succession { store in
        guard let store = store as? SQLiteStore else { return }
        let lost = Self.session("lost@example.com")
        // The lists that are here become its own.
        try await store.signIn(lost)
        try await store.signIn(Self.session("lost@example.com"), succeeding: [lost.account])
    }

    @Test(arguments: succession)
    func `an account succeeds another as in every store`(_ check: QueueStoreCheck) async throws {
        let path = directory.path
        try await check.run { try SQLiteStore(directory: path) }
    }

    @Test func `an account's kept list doesn't disturb other people on the list`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        try await store.signIn(ben)
        try await enter(["milk"], on: store, adding: "tea")
        try await store.signOut()
        try await keepAnnas(on: store)

        try await store.signIn(ben)
        #expect(try await store.deviceStatus().lists.map(\.isLocal) == [false])
        #expect(try await store.waiting(in: list, limit: 9).map(\.entry.fields) == [["text": "tea"]])
        try await store.signOut()
        try await store.signIn(anna)
        let kept = try await store.read { try $0.summaries() }
        #expect(kept.map(\.id) == [list] && kept.map(\.isLocal) == [true] && kept.map(\.isKept) == [true])
        #expect(try await store.state(of: list).items.map(\.text).sorted() == ["jam", "milk"])
        #expect(try await store.deviceStatus().lists.map(\.isPublished) == [false])
    }

    @Test(arguments: [true, false])
    func `a list that comes to an account is not mixed with what another account keeps of it`(
        hasJoined: Bool
    ) async throws {
        let store = try SQLiteStore(directory: directory.path)
        try await keepAnnas(on: store)
        try await store.signIn(ben)
        #expect(try await store.deviceStatus().lists.map(\.isLocal) == [true], "in sight")
        if hasJoined { try await store.join(list) }
        try await receive(["bread"], on: store)
        let lists = try await store.deviceStatus().lists
        #expect(lists.count == 2 && lists.first { $0.id == list }?.isLocal == false)
        #expect(try await store.waiting(in: list, limit: 9).isEmpty, "Ben uploads nothing of Anna's")
        #expect(try await store.state(of: list).items.map(\.text) == ["bread"])
        let beside = try #require(lists.first { $0.id != list })
        #expect(beside.isLocal && !beside.isPublished)
        #expect(try await store.state(of: beside.id).items.map(\.text).sorted() == ["jam", "milk"])
    }

    @Test func `an account's kept list joins the list when the account is invited again`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        try await keepAnnas(on: store)
        try await store.signIn(anna)
        try await store.join(list)
        try await receive(["milk too"], on: store)
        #expect(try await store.deviceStatus().lists.map(\.isLocal) == [false])
        #expect(try await store.state(of: list).items.map(\.text).sorted() == ["jam", "milk", "milk too"])
    }

    @Test func `two lists of the same id keep their rejected entries apart`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let old = Self.session("Ben@example.com")
        var refused: [EntryID] = []
        for person in [old, ben] {
            try await store.signOut(.hide)
            try await store.signIn(person)
            try await store.addList(list)
            let entry = try await store.append([Samples.add("x")], to: list, made: Samples.time())[0].id
            try await store.settle(
                [UploadVerdict(entry: entry, outcome: .rejected(.invalidArguments, nil))], in: list, at: now)
            refused.append(entry)
        }
        #expect(try await store.deviceStatus().lists.count == 1, "the other account may live on")
        try await store.setCurrentList(list)
        try await store.signIn(ben, succeeding: [old.account])
        let other = try #require(try await store.deviceStatus().lists.first { $0.id != list })
        #expect(other.isLocal)
        let lists = try await store.rejected().map { ($0.entry.id, $0.list) }
        #expect(Dictionary(uniqueKeysWithValues: lists) == [refused[0]: other.id, refused[1]: list])
        #expect(try await store.currentList() == list)
    }

    /// Anna was on the list and had unsent changes. The service was restored to a time before that.
    private func keepAnnas(on store: SQLiteStore) async throws {
        try await store.signIn(anna)
        try await enter(["milk"], on: store, adding: "jam")
        var lost = AllChangesResponse(lists: [], gone: [list: .removed])
        lost.unknown = [list]
        _ = try await store.receive(lost, at: now)
        try await store.signOut()
    }

    private func enter(_ texts: [String], on store: SQLiteStore, adding own: String) async throws {
        try await store.join(list)
        try await receive(texts, on: store)
        _ = try await store.append([Samples.add(own)], to: list, made: Samples.time())
    }

    /// The whole list, as another person's device has created it.
    private func receive(_ texts: [String], on store: SQLiteStore) async throws {
        let changes = texts.enumerated().map { number, text in
            let sequence = SequenceNumber(rawValue: Int64(number) + 1)
            let entry = ConfirmedEntry(
                entry: Samples.add(text), sequence: sequence, author: Samples.id(), device: Samples.id(), madeAt: now,
                receivedAt: now)
            return Change(sequence: sequence, body: .entry(entry))
        }
        let page = ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: true)
        _ = try await store.receive(AllChangesResponse(lists: [.init(id: list, page: page)]), at: now)
        try await store.apply(in: list, shopping: false)
    }
}
