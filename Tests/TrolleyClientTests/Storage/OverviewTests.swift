import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@testable import TrolleyClient

/// The overview of all lists, which a device keeps so that the next program decrypts no entry for it.
@Suite(.timeLimit(.minutes(20))) struct OverviewTests {
    let directory = TemporaryDirectory()

    /// A device with a list of some 600 entries. Another program has shown it and kept its overview.
    private func library() async throws -> (device: Device, list: ShoppingList) {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop", colour: "green")
        try await list.add((0..<599).map { "item \($0)" }.joined(separator: "\n"))
        #expect(try await Device(directory: directory.path).lists().map(\.wanted) == [599])
        return (device, list)
    }

    /// Makes all entries unreadable, behind the back of what counts the list's versions.
    private func damageEntries() async throws {
        let file = try DatabaseQueue(path: directory.path + "/device.sqlite")
        try await file.write { db in
            try db.execute(sql: "DROP TRIGGER pending_updated; UPDATE pending SET content = x'00'")
        }
        try file.close()
    }

    @Test func `another program shows all lists without decrypting an entry`() async throws {
        let (device, list) = try await library()
        try await list.markOff(try #require(try await list.state().items.first).id)
        let shown = try await device.lists()
        #expect(shown.map(\.name) == ["Shop"] && shown[0].colour == "green")
        #expect(shown[0].wanted == 598 && shown[0].markedOff == 1)
        // The change was folded in memory, and is written by the next program that has to fold the list.
        #expect(try await Device(directory: directory.path).lists() == shown)
        try await damageEntries()
        let next = try Device(directory: directory.path)
        #expect(try await next.lists() == shown)
        #expect(try await next.listNames().map(\.name) == ["Shop"])
        await #expect(throws: DeviceError.self, "its entries are unreadable") { try await next.list(list.id).state() }
    }

    @Test func `what another program changes is shown, and not what was kept`() async throws {
        let (device, list) = try await library()
        let other = try Device(directory: directory.path)
        _ = try await other.list(list.id).add("bread")
        try await other.list(list.id).rename("Party")
        #expect(try await device.lists().map(\.wanted) == [600])
        #expect(try await Device(directory: directory.path).lists().map(\.name) == ["Party"])
    }

    @Test func `a short list is folded each time, which is faster than a write`() async throws {
        let device = try Device(directory: directory.path)
        try await device.makeList(named: "Shop").add("milk\nbread")
        _ = try await Device(directory: directory.path).lists()
        let kept = try await device.store.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM overview") }
        #expect(kept == 0)
    }

    @Test func `unread changes are counted anew when the read mark has moved or an entry has come`() async throws {
        let service = InMemoryService()
        let (ann, ben) = (try await service.device(of: "Ann"), try await service.device(of: "Ben"))
        let (list, invitations) = try await ann.makeList(named: "Shop", inviting: [.init(email: "ben@example.com")])
        _ = try await ann.sync()
        let joined = try await ben.join(try #require(invitations[0].link)).list
        try await list.add((0..<600).map { "item \($0)" }.joined(separator: "\n"))
        _ = try await ann.sync()
        _ = try await ben.sync()
        ben.store.forgetFolds()
        #expect(try await ben.lists().map(\.unread).first ?? 0 >= 600)
        let kept = try await ben.store.read { try Int.fetchOne($0.db, sql: "SELECT unread FROM overview") }
        #expect(kept ?? 0 >= 600)
        try await joined.markRead()
        #expect(try await ben.lists().map(\.unread) == [0])
        try await list.add("milk")
        _ = try await ann.sync()
        _ = try await ben.sync()
        #expect(try await ben.lists().map(\.unread) == [1])
    }
}
