import FoundationEssentials
import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@testable import TrolleyClient

/// The cost of rejected entries depends on their number only. Rows that must not be read are damaged here, so
/// reading a single one fails.
@Suite(.timeLimit(.minutes(20))) struct RefusalTests {
    let directory = TemporaryDirectory()
    let list: ListID = Samples.id()
    let now = Samples.time(100).wall

    @Test func `refusing some of a long queue reads none of the others`() async throws {
        let entries = try await queue([rename("Weekly")] + (0..<40).map { Samples.add("\($0)") })
        // No fold is cached, as after a start.
        let store = try SQLiteStore(directory: directory.path)
        try await refuse(entries[1...2], in: store)
        let refused = entries[3..<23]
        try await store.write { [ids = refused.map(\.id.data)] transaction in
            // Otherwise the list has another version afterwards, and looking for its name again is right.
            try transaction.db.execute(sql: "DROP TRIGGER pending_updated")
            let others = try Data.fetchAll(transaction.db, sql: "SELECT id FROM pending").filter { !ids.contains($0) }
            for id in others {
                try transaction.db.execute(sql: "UPDATE pending SET content = x'00' WHERE id = ?", arguments: [id])
            }
        }
        for index in refused.indices { try await refuse(refused[index...index], in: store) }
        let rejected = try await store.rejected()
        #expect(rejected.map(\.entry) == Array(entries[1..<23]))
        #expect(Set(rejected.map(\.listName)) == ["Weekly"])
        #expect(try await store.deviceStatus().waiting == 19)
    }

    @Test func `telling the service how many were refused reads none of them`() async throws {
        let entries = try await queue((0..<10).map { Samples.add("\($0)") })
        let store = try SQLiteStore(directory: directory.path)
        try await refuse(entries[...], in: store)
        try await store.write { try $0.db.execute(sql: "UPDATE rejected SET content = x'00'") }
        let report = try await store.report(at: Samples.time(150))
        #expect(report.failures == [.init(code: "quotaExceeded", count: 10, age: 50)])
    }

    @Test func `a refused name is not the list's any more`() async throws {
        let entries = try await queue([rename("Weekly"), Samples.add("milk"), rename("Monthly"), Samples.add("jam")])
        let store = try SQLiteStore(directory: directory.path)
        try await refuse(entries[1...2], in: store)
        try await refuse(entries[3...3], in: store)
        #expect(try await store.rejected().map(\.listName) == ["Monthly", "Monthly", "Weekly"])
    }

    @Test func `a name that another program gives meanwhile is the list's`() async throws {
        let entries = try await queue([rename("Weekly"), Samples.add("milk"), Samples.add("jam")])
        let store = try SQLiteStore(directory: directory.path)
        try await refuse(entries[1...1], in: store)
        _ = try await SQLiteStore(directory: directory.path).append(
            [rename("Monthly")], to: list, made: Samples.time(50))
        try await refuse(entries[2...2], in: store)
        #expect(try await store.rejected().map(\.listName) == ["Weekly", "Monthly"])
    }

    @Test func `an id that is rejected in two lists counts twice`() async throws {
        let device = try Device(directory: directory.path)
        let lists = (try await device.makeList(named: "Shop").id, try await device.makeList(named: "Party").id)
        let milk = Samples.add("milk")
        for list in [lists.0, lists.1] {
            let queued = try await device.store.append([milk], to: list, made: Samples.time())
            let verdicts = queued.map { UploadVerdict(entry: $0.id, outcome: .rejected(.quotaExceeded, nil)) }
            try await device.store.settle(verdicts, in: list, at: now)
        }
        #expect(try await device.makeList(named: "Kept", fromRejectedOf: lists.0) != nil)
        #expect(try await device.queues().rejected.map(\.list) == [lists.1])
        #expect(try await device.retryRejected() == 1)
        #expect(try await device.list(lists.1).state().items.map(\.text) == ["milk"])
    }

    @Test func `only what a list of one's own can have is kept in one, and the rest stays refused`() async throws {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        func refuse(_ edits: [ListEdit]) async throws -> [JournalEntry] {
            let made = try await list.perform(edits)
            try await device.store.settle(
                made.map { UploadVerdict(entry: $0.id, outcome: .rejected(.permissionFailure, nil)) }, in: list.id,
                at: now)
            return made
        }
        // A mark on another person's item, and an item that was deleted again.
        let (theirs, gone): (ItemID, ItemID) = (device.identifier(), device.identifier())
        _ = try await refuse([
            .markOff(theirs), .message("Sorry!"), .add(gone, ["text": "jam"], .bottom), .delete(gone),
        ])
        #expect(try await device.makeList(named: "Kept", fromRejectedOf: list.id) == nil)
        #expect(try await device.lists().count == 1, "no empty list")
        #expect(try await device.queues().rejected.count == 4)

        _ = try await refuse([.add(device.identifier(), ["text": "milk"], .bottom)])
        let own = try #require(try await device.makeList(named: "Kept", fromRejectedOf: list.id))
        #expect(try await own.state().items.map(\.text) == ["milk"])
        #expect(try await device.queues().rejected.map(\.entry.operation) == [.markOff, .message])
        await device.close()
    }

    private func rename(_ name: String) -> JournalEntry {
        JournalEntry(
            id: Samples.id(), operation: .renameList, fields: [Fields.text: .string(name)], deviceSequence: 1)
    }

    private func queue(_ entries: [JournalEntry]) async throws -> [JournalEntry] {
        let store = try SQLiteStore(directory: directory.path)
        try await store.addList(list)
        return try await store.append(entries, to: list, made: Samples.time())
    }

    private func refuse(_ entries: ArraySlice<JournalEntry>, in store: SQLiteStore) async throws {
        let verdicts = entries.map { UploadVerdict(entry: $0.id, outcome: .rejected(.quotaExceeded, nil)) }
        try await store.settle(verdicts, in: list, at: now)
    }
}
