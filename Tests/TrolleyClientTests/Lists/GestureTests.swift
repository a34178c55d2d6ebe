import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@testable import TrolleyClient

/// A gesture is one transaction.
@Suite(.timeLimit(.minutes(20))) struct GestureTests {
    enum Gesture: CaseIterable, Sendable {
        case makeLocalList, importDocument, keepRejected

        func run(on device: Device, _ list: ShoppingList) async throws {
            switch self {
            case .makeLocalList: _ = try await device.makeList(named: "Ideas", colour: "green", isLocal: true)
            case .importDocument: _ = try await device.makeList(of: try await list.document(), named: "Copy")
            case .keepRejected: _ = try await device.makeList(named: "Kept", fromRejectedOf: list.id)
            }
        }
    }

    @Test("a gesture that fails after its first change leaves nothing", arguments: Gesture.allCases)
    func whole(gesture: Gesture) async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Shop")
        try await list.add("milk")
        let refused = try await list.perform([.add(device.identifier(), [Fields.text: "beer"], .bottom)])
        try await device.store.settle(
            refused.map { UploadVerdict(entry: $0.id, outcome: .rejected(.permissionFailure, nil)) }, in: list.id,
            at: Samples.time().wall)
        let (queues, current) = (try await device.queues(), try await device.currentList())
        let lists = try await device.listNames().map(\.id)
        try await device.store.write { transaction in
            let count = try Int.fetchOne(transaction.db, sql: "SELECT COUNT(*) FROM pending") ?? 0
            try transaction.db.execute(
                sql: """
                    CREATE TRIGGER failure BEFORE INSERT ON pending WHEN (SELECT COUNT(*) FROM pending) > \(count)
                    BEGIN SELECT RAISE(ABORT, 'the disk is full'); END
                    """)
        }
        await #expect(throws: DeviceError.self) { try await gesture.run(on: device, list) }
        #expect(try await device.queues() == queues)
        #expect(try await device.currentList() == current)
        #expect(try await device.listNames().map(\.id) == lists)
        try await device.store.write { try $0.db.execute(sql: "DROP TRIGGER failure") }
        try await gesture.run(on: device, list)
        #expect(try await device.listNames().count == lists.count + 1)
        await device.close()
    }

    @Test func `two gestures at once that add the same item make one`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Shop", isLocal: true)
        async let one = list.add("milk")
        async let other = list.add("Milk")
        _ = try await (one, other)
        #expect(try await list.state().items.count == 1)
        await device.close()
    }

    @Test func `a change that is on disk hasn't failed, though its progress can't be told`() async throws {
        let device = try Device.inMemory()
        let list = try await device.makeList(named: "Shop")
        var steps = device.status.makeAsyncIterator()
        _ = try await steps.next()
        // Only the progress needs it.
        try await device.store.write { try $0.db.execute(sql: "DROP TABLE leaving") }
        await #expect(throws: DeviceError.self) { _ = try await device.ongoingFailure() }
        try await list.add("milk")
        #expect(try await list.state().items.map(\.text) == ["milk"])
        withExtendedLifetime(steps) {}
        await device.close()
    }
}
