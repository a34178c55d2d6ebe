import Foundation
import Testing
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyTestSupport
import TrolleyWire

@testable import TrolleyServer

#if canImport(Glibc)
    import Glibc
#endif

extension TestService {
    /// Waits until a process that serves this database listens to changes and to the signals of rooms.
    fileprivate func expectListening() async throws {
        let listeners = Query(
            unescaped: """
                SELECT FROM pg_stat_activity
                WHERE datname = current_database() AND query LIKE '%FROM pg_notify($1%' AND state = 'idle'
                    AND query NOT LIKE '%pg_stat_activity%'
                """)
        try await eventually("sessions that listen") {
            try await pool.withConnection { try await $0.execute(listeners) }.count
        } until: {
            $0 >= 2
        }
    }

    /// The server processes of connections with this name.
    fileprivate func processes(of application: String) async throws -> [Int32] {
        try await pool.withConnection { connection in
            try await connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name = \(application) AND state = 'idle'"
            ).map { try $0.decode(Int32.self, at: 0) }
        }
    }

    fileprivate func droppedSignals(_ place: String) async throws -> Int {
        let metrics = try await call("GET", "/metrics").text
        let series = metrics.split(separator: "\n").first {
            $0.hasPrefix(#"trolley_room_messages_dropped_total{at="\#(place)"}"#)
        }
        return series?.split(separator: " ").last.flatMap { Int($0) } ?? 0
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
                        #expect(try await anna.event { $0.isEntered } == .entered(scene.room.address, member))
                        _ = try await ben.event { $0.isEntered }
                        for number in 1...50 { try await ben.send(.say(scene.room.address, body: "body-\(number)")) }
                        for number in 1...50 {
                            let expected = SocketEvent.said(scene.room.address, from: member, body: "body-\(number)")
                            #expect(try await anna.event { $0.saidBody != nil } == expected)
                        }
                        try await anna.send(.say(scene.room.address, body: String(repeating: "A", count: 4096)))
                        #expect(try await ben.event { $0.saidBody != nil }?.saidBody?.count == 4096)
                    }
                    #expect(
                        try await anna.event { if case .left = $0 { true } else { false } }
                            == .left(scene.room.address, scene.ben.device))
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
                try await TestService.with(try pool(), isOneOfSeveral: true, signalling: ChangeSignals(late)) { other in
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
                                #expect(try await ben.event { $0.isEntered } == .entered(scene.room.address, member))
                                try await ben.send(.say(scene.room.address, body: "here"))
                                #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "here")
                            }
                        }
                    }
                }
            }
        }
    }

    @Test(
        "a process whose connection falls silent takes another one, and tells its sockets; what they missed is counted")
    func silentConnection() async throws {
        try await withTestDatabase(TestService.migrated) { url in
            // On a busy machine a probe of the connection that works may take seconds to come back.
            let probe = Listener.Probe(interval: .milliseconds(500), patience: .seconds(10))
            let name = "deaf-\(UInt32.random(in: .min ... .max))"
            let deaf = ChangeSignals(try Store.configuration("\(url)&application_name=\(name)"), probe: probe)
            try await TestService.with(try TestService.patientPool(url), isOneOfSeveral: true) { one in
                try await TestService.with(
                    try TestService.patientPool(url), isOneOfSeveral: true, signalling: deaf
                ) { other in
                    let scene = try await RoomScene(one)
                    try await within {
                        try await scene.enter(as: scene.anna, at: one) { anna in
                            try await scene.enter(as: scene.ben, at: other) { ben in
                                _ = try await anna.event { $0.isEntered }
                                _ = try await ben.event { $0.isEntered }
                                try await anna.send(.say(scene.room.address, body: "before"))
                                _ = try await ben.event { $0.saidBody == "before" }
                                var silent: [Int32] = []
                                while silent.count < 2 { silent = try await other.processes(of: name) }
                                let processes = silent
                                for process in processes { kill(process, SIGSTOP) }
                                defer { for process in processes { kill(process, SIGCONT) } }
                                for number in 1...20 {
                                    try await anna.send(.say(scene.room.address, body: "lost-\(number)"))
                                }
                                let next = try await ben.event { $0 == .missed || $0.saidBody != nil }
                                #expect(next == .missed)
                                // The device that is asked says again what it does.
                                let member = RoomMember(account: scene.ben.account, device: scene.ben.device)
                                #expect(try await anna.event { $0.isEntered } == .entered(scene.room.address, member))
                                try await anna.send(.say(scene.room.address, body: "after"))
                                #expect(try await ben.event { $0.saidBody != nil }?.saidBody == "after")
                                let dropped = try await eventually {
                                    try await other.droppedSignals("receiving")
                                } until: {
                                    $0 >= 20
                                }
                                #expect(dropped == 20)
                            }
                        }
                    }
                }
            }
        }
    }

    @Test("what was said more than a few seconds ago is dropped and counted, by the database's clock")
    func late() async throws {
        try await withTestDatabase(TestService.migrated) { url in
            // After the first probe of its connection nothing arrives by itself.
            let once = Listener.Probe(interval: .seconds(3600), patience: .seconds(120))
            let signals = ChangeSignals(try Store.configuration(url), probe: once)
            try await TestService.with(try TestService.patientPool(url), isOneOfSeveral: true) { one in
                try await TestService.with(
                    try TestService.patientPool(url), isOneOfSeveral: true, signalling: signals
                ) { other in try await expectOldDropped(one, other) }
            }
        }
    }

    private func expectOldDropped(_ one: TestService, _ other: TestService) async throws {
        let scene = try await RoomScene(one)
        try await within {
            try await scene.enter(as: scene.anna, at: one) { anna in
                try await scene.enter(as: scene.ben, at: other) { ben in
                    _ = try await anna.event { $0.isEntered }
                    _ = try await ben.event { $0.isEntered }
                    let member = RoomMember(account: scene.anna.account, device: scene.anna.device)
                    func say(_ body: String, _ number: Int, secondsAgo: Int) async throws {
                        let line = RoomSignal.said(scene.room.address, member, body: body).description
                        let time = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint - \(secondsAgo * 1000)"
                        let payload = "'elsewhere \(number) @' || \(time) || E'\\n\(line)'"
                        let query = Query(unescaped: "SELECT pg_notify('trolley_rooms', \(payload))")
                        _ = try await other.pool.withConnection { try await $0.execute(query) }
                    }
                    // A listener knows no age before it has heard its own first probe.
                    var number = 0
                    try await eventually(every: .milliseconds(20)) {
                        number += 1
                        try await say("old", number, secondsAgo: 10)
                        return try await other.droppedSignals("receiving")
                    } until: {
                        $0 > 0
                    }
                    // Though nothing else arrives. Closures stand outside of #expect here: of two in one function,
                    // Swift 6.3 may call the other one.
                    let missed = try await ben.event { $0 == .missed || $0.saidBody == "young" }
                    #expect(missed == .missed)
                    try await say("young", number + 1, secondsAgo: 0)
                    let young = try await ben.event { $0.saidBody == "young" }
                    #expect(young != nil)
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
