import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// A fetch is stored in one transaction: the entries, the token and the to-apply queue.
@Suite(.timeLimit(.minutes(20))) struct ReceivingTests {
    let directory = TemporaryDirectory()

    /// The failing statements of a fetch, as conditions of a trigger.
    static let failures = [
        "INSERT ON entry WHEN NEW.sequence = 3", "INSERT ON entry WHEN NEW.sequence = 12",
        "UPDATE OF token ON list WHEN NEW.token = 'second'", "UPDATE OF through ON list WHEN NEW.through = 12",
        "DELETE ON confirmed",
    ]

    @Test(arguments: failures)
    func `a fetch that fails on the way leaves everything as it was, and comes whole the next time`(
        _ failure: String
    ) async throws {
        let store = try SQLiteStore(directory: directory.path)
        let (first, second): (ListID, ListID) = (Samples.id(), Samples.id())
        let now = Samples.time().wall
        // Both lists exist, and one of the device's own entries was confirmed long ago.
        try await store.addList(first)
        let own = try await store.append([Samples.add("tea")], to: first, made: Samples.time())
        try await store.settle(
            [UploadVerdict(entry: own[0].id, outcome: .accepted(SequenceNumber(rawValue: 1)))], in: first, at: now)
        let tea = Self.change(own[0], 1)
        _ = try await store.receive(
            AllChangesResponse(lists: [
                Self.page(first, [tea], "old", snapshot: true),
                Self.page(second, [Self.change(Samples.add("salt"), 11)], "old", snapshot: true),
            ]), at: now)
        let before = try await Self.contents(store)

        let later = now.advanced(byMilliseconds: 1000 * 86_400_000)
        let response = AllChangesResponse(lists: [
            Self.page(first, [Self.change(Samples.add("milk"), 2), Self.change(Samples.add("bread"), 3)], "first"),
            Self.page(second, [Self.change(Samples.add("jam"), 12)], "second"),
        ])
        let file = try DatabaseQueue(path: directory.path + "/device.sqlite")
        try await file.write { database in
            try database.execute(
                sql: """
                    CREATE TRIGGER failure BEFORE \(failure.replacing(" WHEN", with: " FOR EACH ROW WHEN"))
                    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
                    """)
        }
        await #expect(throws: QueueStoreError.self) { try await store.receive(response, at: later) }
        #expect(try await Self.contents(store) == before)
        #expect(try await Self.contents(SQLiteStore(directory: directory.path)) == before)

        try await file.write { try $0.execute(sql: "DROP TRIGGER failure") }
        let fetchOutcome = try await store.receive(response, at: later)
        #expect(fetchOutcome.news == 3)
        #expect(try await store.deviceStatus().lists.map(\.token) == ["first", "second"])
        #expect(try await store.deviceStatus().lists.map(\.toApply) == [2, 2])
    }

    /// The service is restored to a time before somebody joined. Their device has only the beginning of the list's
    /// first snapshot, and doesn't know the list's owner yet.
    @Test(arguments: [true, false])
    func `a list that is known in part is kept when the service has lost it, and not made under another id`(
        hasJoined: Bool
    ) async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        let now = Samples.time().wall
        if hasJoined { try await store.join(list) }
        _ = try await store.receive(
            AllChangesResponse(
                lists: [
                    Self.page(list, [Self.change(Samples.add("milk"), 1)], "first", snapshot: true, moreComing: true)
                ], moreComing: true), at: now)
        let own = try await store.append([Samples.add("tea")], to: list, made: Samples.time())
        var lost = AllChangesResponse(lists: [], gone: [list: .removed])
        lost.unknown = [list]
        _ = try await store.receive(lost, at: now)
        let kept = try await store.deviceStatus().lists
        #expect(kept.map(\.id) == [list] && kept.map(\.isLocal) == [true] && kept.map(\.isPublished) == [false])
        #expect(try await store.state(of: list).items.map(\.text).sorted() == ["milk", "tea"], "in sight")
        let waiting = try await store.waiting(in: list, limit: 10).map(\.entry)
        #expect(waiting.count == 2 && waiting.last == own.first)
        #expect(try await store.deviceStatus().waiting == 0, "nothing of it is sent")
    }

    @Test("confirmed entries are offered again for thirty days", arguments: [(29, true), (31, false)])
    func offeredAgain(days: Int64, isOffered: Bool) async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        let now = Samples.time().wall
        try await store.addList(list)
        let own = try await store.append([Samples.add("tea")], to: list, made: Samples.time())
        try await store.settle(
            [UploadVerdict(entry: own[0].id, outcome: .accepted(SequenceNumber(rawValue: 1)))], in: list, at: now)
        _ = try await store.receive(
            AllChangesResponse(lists: [Self.page(list, [Self.change(own[0], 1)], "old", snapshot: true)]), at: now)
        // The service was restored to a time before it received the tea.
        let later = now.advanced(byMilliseconds: days * 86_400_000)
        _ = try await store.receive(AllChangesResponse(lists: [Self.page(list, [], "new", snapshot: true)]), at: later)
        #expect(try await store.waiting(in: list, limit: 9).map(\.entry) == (isOffered ? own : []))
    }

    /// Everything that a fetch may change.
    private static func contents(_ store: SQLiteStore) async throws -> [String] {
        var contents: [String] = []
        for list in try await store.deviceStatus().lists {
            contents.append("\(list)")
            contents.append("\(try await store.journal(of: list.id))")
            contents.append("\(try await store.toApply(in: list.id))")
        }
        return contents
    }

    private static func change(_ entry: JournalEntry, _ sequence: Int64) -> Change {
        let sequence = SequenceNumber(rawValue: sequence)
        return Change(
            sequence: sequence,
            body: .entry(
                ConfirmedEntry(
                    entry: entry, sequence: sequence, author: Samples.id(), device: Samples.id(),
                    madeAt: Samples.time().wall, receivedAt: Samples.time().wall)))
    }

    private static func page(
        _ list: ListID, _ changes: [Change], _ token: String, snapshot: Bool = false, moreComing: Bool = false
    ) -> AllChangesResponse.List {
        .init(id: list, page: ChangesPage(changes: changes, token: token, moreComing: moreComing, snapshot: snapshot))
    }
}
