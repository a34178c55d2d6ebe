import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// Copies of many entries, encrypted as one.
@Suite(.timeLimit(.minutes(20))) struct BundleTests {
    let directory = TemporaryDirectory()

    /// A device with a list of some 1,200 entries, which another program has shown.
    private func library() async throws -> (device: Device, list: ShoppingList) {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        try await list.add((0..<1_199).map { "item \($0)" }.joined(separator: "\n"))
        #expect(try await fresh(list).state().items.count == 1_199)
        return (device, list)
    }

    /// The list in a program that begins.
    private func fresh(_ list: ShoppingList) throws -> ShoppingList {
        try Device(directory: directory.path).list(list.id)
    }

    @Test func `a long list is read without decrypting its entries one by one`() async throws {
        let (_, list) = try await library()
        try await list.add("milk")
        let shown = try await list.state()
        let rows = try await list.shownRows()
        let file = try DatabaseQueue(path: directory.path + "/device.sqlite")
        try await file.write { db in
            let last = try Int.fetchOne(db, sql: "SELECT max(last) FROM bundle WHERE kind = 1")
            #expect(last == 1_200)
            // Behind the back of the triggers.
            try db.execute(
                sql: """
                    DROP TRIGGER pending_updated; DROP TRIGGER bundled_pending_updated;
                    UPDATE pending SET content = x'00' WHERE position <= 1200
                    """)
        }
        #expect(try await fresh(list).state() == shown)
        #expect(try await fresh(list).shownRows() == rows)
    }

    @Test func `a short list gets none`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk\nbread")
        _ = try await fresh(list).state()
        #expect(try await bundles(in: device.store).isEmpty)
    }

    @Test func `one that can't be read is as good as none, and is made again`() async throws {
        let (device, list) = try await library()
        let shown = try await list.state()
        let before = try await bundles(in: device.store)
        #expect(before.count == 2)
        try await device.store.write { try $0.db.execute(sql: "UPDATE bundle SET content = x'00'") }
        #expect(try await fresh(list).state() == shown)
        #expect(try await bundles(in: device.store) == before)
        let sizes = try await device.store.read { try Int.fetchAll($0.db, sql: "SELECT length(content) FROM bundle") }
        #expect(sizes.allSatisfy { $0 > 10_000 })
    }

    @Test func `what changes a row drops the bundle that has it, and no other`() async throws {
        let (store, list) = try await received(9)
        #expect(try await bundles(in: store) == ["1 to 3", "4 to 6", "7 to 9"])
        let entries = try await store.journal(of: list).confirmed

        // Compression takes the second entry, and gives the fourth another anchor.
        let anchor = try #require(entries[0].entry.item)
        let discard = Change.Body.discard(ids: [entries[1].entry.id], anchors: [entries[3].entry.id: anchor])
        try await receive([Change(sequence: SequenceNumber(rawValue: 10), body: discard)], into: store, list)
        #expect(try await stored(in: store) == ["7 to 9"])
        var expected = entries
        expected[3].entry.after = anchor
        expected.remove(at: 1)
        #expect(try await store.journal(of: list).confirmed == expected)
        #expect(try await bundles(in: store) == ["1 to 4", "5 to 6", "7 to 9"])

        // What comes behind them drops none.
        try await receive([change(Samples.add("late"), 11)], into: store, list)
        #expect(try await stored(in: store) == ["1 to 4", "5 to 6", "7 to 9"])
        // A service that was restored gives an entry another number.
        try await receive([change(entries[8].entry, 12)], into: store, list)
        #expect(try await stored(in: store) == ["1 to 4", "5 to 6"])
        let ids = try await store.journal(of: list).confirmed.map(\.entry.id)
        #expect(ids.count == 9 && ids.last == entries[8].entry.id)
    }

    @Test func `what was read before another program's change is not stored after it`() async throws {
        let (store, list) = try await received(4)
        let entries = try await store.journal(of: list).confirmed
        try await store.write { try $0.db.execute(sql: "DELETE FROM bundle") }
        let made = try await store.queue.read { db in
            try store.transact(db, isReading: true) { try $0.journal(of: try $0.list(list)) }.1
        }
        #expect(made.hasCopies)
        let discard = Change.Body.discard(ids: [entries[1].entry.id], anchors: [:])
        try await receive([Change(sequence: SequenceNumber(rawValue: 5), body: discard)], into: store, list)
        await store.storeCopies(made)
        #expect(try await stored(in: store).isEmpty)
        #expect(try await store.journal(of: list).confirmed.map(\.sequence.rawValue) == [1, 3, 4])
    }

    @Test func `entries that wait to be applied are in none`() async throws {
        let (store, list) = try await received(4)
        let changes = [change(Samples.add("new"), 5), change(Samples.markOff(Samples.id()), 6)]
        _ = try await store.receive(AllChangesResponse(lists: [page(list, changes)]), at: Samples.time().wall)
        try await store.apply(in: list, shopping: true)
        #expect(try await store.toApply(in: list).map(\.sequence.rawValue) == [5])
        #expect(try await store.journal(of: list).confirmed.map(\.sequence.rawValue) == [1, 2, 3, 4, 6])
        #expect(try await stored(in: store) == ["1 to 3", "4 to 4"])
        try await store.apply(in: list, shopping: false)
        #expect(try await store.journal(of: list).confirmed.map(\.sequence.rawValue) == [1, 2, 3, 4, 5, 6])
        #expect(try await bundles(in: store) == ["1 to 3", "4 to 4", "5 to 6"])
    }

    @Test func `a list that gets another id, or stays here alone, shows what it showed`() async throws {
        let (store, list) = try await received(7)
        let shown = try await store.state(of: list)
        try await store.write { transaction in
            let row = try transaction.list(list)
            try transaction.keepLost(
                try transaction.receiving(row), by: .keepHere, of: row, at: Samples.time().wall)
        }
        #expect(try await stored(in: store).isEmpty, "all entries are pending now")
        #expect(try await store.journal(of: list).pending.count == 7)
        #expect(try await bundles(in: store).count == 3)
        let id = try await store.write { try $0.rekey(try $0.list(list), at: Samples.time().wall) }
        #expect(try await stored(in: store).isEmpty, "all entries are encrypted for another list now")
        store.forgetFolds()
        #expect(try await store.state(of: id) == shown)
        #expect(try await store.journal(of: id).pending.count == 7)
        try await store.remove(id, deleting: true, at: Samples.time().wall)
        #expect(try await stored(in: store).isEmpty)
    }

    // MARK: A store that bundles at once

    /// A store with a list of as many confirmed and applied entries, in bundles of three.
    private func received(_ count: Int64) async throws -> (SQLiteStore, ListID) {
        let store = try SQLiteStore(directory: directory.path, bundleSizes: BundleSizes(worthStoring: 1, most: 3))
        let list: ListID = Samples.id()
        try await receive((1...count).map { change(Samples.add("item \($0)"), $0) }, into: store, list, snapshot: true)
        _ = try await store.journal(of: list)
        return (store, list)
    }

    private func receive(
        _ changes: [Change], into store: SQLiteStore, _ list: ListID, snapshot: Bool = false
    ) async throws {
        let answer = AllChangesResponse(lists: [page(list, changes, snapshot: snapshot)])
        _ = try await store.receive(answer, at: Samples.time().wall)
        try await store.apply(in: list, shopping: false)
    }

    private func page(_ list: ListID, _ changes: [Change], snapshot: Bool = false) -> AllChangesResponse.List {
        .init(id: list, page: ChangesPage(changes: changes, token: "t", moreComing: false, snapshot: snapshot))
    }

    private func change(_ entry: JournalEntry, _ sequence: Int64) -> Change {
        let number = SequenceNumber(rawValue: sequence)
        let confirmed = ConfirmedEntry(
            entry: entry, sequence: number, author: Self.somebody, device: Self.elsewhere,
            madeAt: Samples.time(sequence).wall, receivedAt: Samples.time(sequence).wall)
        return Change(sequence: number, body: .entry(confirmed))
    }

    private static let somebody: AccountID = Samples.id()
    private static let elsewhere: DeviceID = Samples.id()

    /// What the bundles in the file cover, after the lists were read once.
    private func bundles(in store: SQLiteStore) async throws -> [String] {
        for list in try await store.deviceStatus().lists { _ = try await store.journal(of: list.id) }
        return try await stored(in: store)
    }

    /// What the bundles in the file cover.
    private func stored(in store: SQLiteStore) async throws -> [String] {
        try await store.read {
            try String.fetchAll($0.db, sql: "SELECT first || ' to ' || last FROM bundle ORDER BY list, kind, first")
        }
    }
}
