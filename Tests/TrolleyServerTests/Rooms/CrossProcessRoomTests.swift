import Foundation
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

extension TestService {
    /// Waits until a process that serves this database listens to the signals of rooms.
    fileprivate func expectListening() async throws {
        let listeners = Query(
            unescaped: "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%rooms%'")
        try await within { [pool] in
            while try await pool.withConnection({ try await $0.execute(listeners) }).isEmpty {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }
}

@Suite("Rooms across service processes", .timeLimit(.minutes(20)))
struct CrossProcessRoomTests {
    @Test("devices at two processes hear each other in order, come and go")
    func said() async throws {
        try await TestService.withTwo { one, other in
            let scene = try await RoomScene(one)
            try await within {
                try await scene.enter(as: scene.anna, at: one) { anna in
                    try await scene.enter(as: scene.ben, at: other) { ben in
                        let member = RoomMember(account: scene.ben.account, device: scene.ben.device)
                        // The processes have found each other once both know of the other's device.
                        #expect(try await anna.event { $0.isEntered } == .entered(scene.room.id, member))
                        _ = try await ben.event { $0.isEntered }
                        for number in 1...50 { try await ben.send(.say(scene.room.id, body: "body-\(number)")) }
                        for number in 1...50 {
                            let expected = SocketEvent.said(scene.room.id, from: member, body: "body-\(number)")
                            #expect(try await anna.event { $0.saidBody != nil } == expected)
                        }
                        try await anna.send(.say(scene.room.id, body: String(repeating: "A", count: 4096)))
                        #expect(try await ben.event { $0.saidBody != nil }?.saidBody?.count == 4096)
                    }
                    #expect(
                        try await anna.event { if case .left = $0 { true } else { false } }
                            == .left(scene.room.id, scene.ben.device))
                }
            }
        }
    }

    @Test(
        "a process that listens late hears of the devices that were there before",
        .enabled(if: TestNodes.shared == nil))
    func lateListening() async throws {
        // The other process listens by way of this directory, which is missing at first.
        let link = NSTemporaryDirectory() + "trolley-late-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: link) }
        try await withTestDatabase(TestService.migrated) { url in
            let host = try #require(url.firstMatch(of: /host=([^&]+)/)?.output.1)
            let sockets = try #require(host.removingPercentEncoding)
            let late = try Store.configuration(url.replacing(host, with: link))
            func pool() throws -> Pool { Pool(try Store.configuration(url)) }
            try await TestService.with(try pool(), isOneOfSeveral: true) { one in
                try await TestService.with(try pool(), isOneOfSeveral: true, signalling: late) { other in
                    let scene = try await RoomScene(one)
                    try await one.expectListening()
                    try await within {
                        try await scene.enter(as: scene.anna, at: one) { anna in
                            try await scene.enter(as: scene.ben, at: other) { ben in
                                try #require(try await anna.event { $0.isEntered } != nil)
                                // The answer to the other process was lost; it repeats nothing within the test's time.
                                try FileManager.default.createSymbolicLink(
                                    atPath: link, withDestinationPath: sockets)
                                let member = RoomMember(account: scene.anna.account, device: scene.anna.device)
                                #expect(try await ben.event { $0.isEntered } == .entered(scene.room.id, member))
                                try await ben.send(.say(scene.room.id, body: "here"))
                                #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "here")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("a participant who is removed at one process is out at the other, though it asks only once an hour")
    func removed() async throws {
        try await TestService.withTwo { one, other in
            let scene = try await RoomScene(one)
            try await within {
                try await scene.enter(as: scene.anna, at: one) { anna in
                    try await scene.enter(as: scene.ben, at: other) { ben in
                        _ = try await ben.event { $0.isEntered }
                        let path = Path.participant(scene.ben.account, of: scene.list)
                        try await one.call("DELETE", path, token: scene.anna.token)
                        let closeCode = try await ben.closeCode()
                        #expect(closeCode == SocketCloseCode.removed)
                        try await anna.send(.say(scene.room.id, body: "alone"))
                    }
                }
            }
        }
    }

    @Test("a hail at one process is announced at the other")
    func hailed() async throws {
        try await TestService.withTwo { one, other in
            let scene = try await RoomScene(one)
            try await one.open(scene.list, by: scene.ben)
            try await within {
                try await scene.enter(as: scene.anna, at: one) { anna in
                    try await scene.enter(as: scene.ben, at: other) { ben in
                        // From here on the processes hear each other.
                        _ = try await ben.event { $0.isEntered }
                        _ = try await anna.event { $0.isEntered }
                        try await ben.send(.hints(lastEventID: nil))
                        _ = try await ben.event { if case .hint("sync", _, _, _) = $0 { true } else { false } }
                        _ = try await one.hail([scene.ben.device], to: scene.room, by: scene.anna)
                        let hint = try await ben.event { if case .hint("hail", _, _, _) = $0 { true } else { false } }
                        #expect(hint != nil)
                    }
                }
            }
        }
    }
}
