import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyStore

/// A room is made, and somebody who knows its secret is removed, at the same time.
@Suite("Rooms and removals, raced", .timeLimit(.minutes(20)))
struct RoomRaceTests {
    private let key: [UInt8] = Array(repeating: 7, count: 32)

    /// Anna's list with Ben on it. His phone has it open, and there is a room.
    private struct Scene: Sendable {
        let anna: Session
        let ben: Session
        let list: ListID
        let room = RoomID.version7(at: .now, random: RandomBits.random)
        let next = RoomID.version7(at: .now, random: RandomBits.random)
    }

    private func scene(_ test: TestStore) async throws -> Scene {
        let (anna, ben) = (try await test.person("anna"), try await test.person("ben"))
        let scene = Scene(anna: anna, ben: ben, list: try await test.list(of: anna))
        try await test.add(ben, to: scene.list, of: anna)
        _ = try await test.store.setPresence(
            of: ben, on: scene.list, for: 600_000, hailKey: Array(repeating: 1, count: 32))
        _ = try await hail(to: scene.room, by: anna, in: scene, test)
        return scene
    }

    /// Hails Ben's phone to a room, for which the list's only other room makes way.
    private func hail(
        to room: RoomID, by session: Session, in scene: Scene, _ test: TestStore
    ) async throws -> HailOutcome {
        let hail = OutgoingHail(
            id: .version7(at: .now, random: RandomBits.random), to: scene.ben.device, sealed: [1, 2, 3])
        return try await test.store.hail(
            [hail], to: room, handshakeKey: key, on: scene.list, from: session, limits: RoomLimits(roomsPerList: 1))
    }

    @Test("a removal ends a room that is made while it waits, and the hails to it")
    func madeFirst() async throws {
        try await TestStore.with(connections: 6) { test in
            let scene = try await scene(test)
            let (made, removal) = try await test.pool.withTransaction { connection in
                // The hail has seen that Ben is on the list, and waits for the room that makes way.
                try await connection.execute(
                    "SELECT FROM room WHERE list_id = \(scene.list) AND id = \(scene.room) FOR UPDATE")
                let made = Task { try await hail(to: scene.next, by: scene.anna, in: scene, test) }
                try await connection.untilSomebodyWaits()
                let removal = Task {
                    try await test.store.removeParticipant(
                        scene.ben.account, from: scene.list, by: scene.anna.account)
                }
                try await connection.untilSomebodyWaits(2)
                return (made, removal)
            }
            guard case .sent(let response) = try await made.value else {
                Issue.record("the room was not made")
                return
            }
            #expect(response.hailed == [scene.ben.device])
            try await removal.value
            let admission = try await test.store.admission(
                to: RoomAddress(scene.next, on: scene.list), for: scene.anna.account)
            #expect(admission == nil)
            let hails = try await test.pool.withConnection { try await $0.execute("SELECT FROM hail") }
            #expect(hails.isEmpty)
        }
    }

    @Test("a hail that waits for a removal makes no room for the removed person, and doesn't reach them")
    func removedFirst() async throws {
        try await TestStore.with(connections: 6) { test in
            let scene = try await scene(test)
            let (own, others) = try await test.pool.withTransaction { connection in
                try await connection.execute(ListSQL.lockAlways, [scene.list])
                let own = Task {
                    await failure { try await hail(to: scene.next, by: scene.ben, in: scene, test) }
                }
                let others = Task { try await hail(to: scene.next, by: scene.anna, in: scene, test) }
                try await connection.untilSomebodyWaits(2)
                // The removal that has the list's lock.
                try await connection.execute(
                    MemberSQL.remove, [scene.list, scene.ben.account, ListGoneReason.removed.rawValue])
                try await connection.endRooms(of: scene.list)
                return (own, others)
            }
            #expect(await own.value == "gone(TrolleyWire.ListGoneReason.removed)")
            guard case .sent(let response) = try await others.value else {
                Issue.record("the room was not made")
                return
            }
            #expect(response.hailed.isEmpty)
        }
    }
}
