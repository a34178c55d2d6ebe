import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

/// A room of which somebody was removed is over: they know its id and its secret.
@Suite("Rooms that a removal ends", .timeLimit(.minutes(20)))
struct EndedRoomTests {
    /// How a person comes off a list.
    enum Removal: CaseIterable, Sendable {
        case removed, left, stoppedSharing, accountDeleted
    }

    private func perform(_ removal: Removal, _ scene: RoomScene) async throws {
        let (service, anna, ben) = (scene.service, scene.anna, scene.ben)
        let place = Path.participant(ben.account, of: scene.list)
        let answer =
            switch removal {
            case .removed: try await service.call("DELETE", place, token: anna.token)
            case .left: try await service.call("DELETE", place, token: ben.token)
            case .stoppedSharing: try await service.call("DELETE", Path.share(scene.list), token: anna.token)
            case .accountDeleted:
                try await service.call(
                    "DELETE", Path.account, token: ben.token, json: #"{"password":"\#(TestService.password)"}"#)
            }
        try #require(answer.status < 300, "\(answer.text)")
    }

    @Test("the others are told, its id and secret open nothing, and a new room works", arguments: Removal.allCases)
    func ended(by removal: Removal) async throws {
        try await TestService.with { try await ended(by: removal, at: $0, $0) }
    }

    @Test("and so they are at another process")
    func endedElsewhere() async throws {
        try await TestService.withTwo { try await ended(by: .removed, at: $0, $1) }
    }

    private func ended(by removal: Removal, at one: TestService, _ other: TestService) async throws {
        let scene = try await RoomScene(one)
        let cleo = try await one.person("cleo")
        try await one.add(cleo, to: scene.list, of: scene.anna)
        let next = TestRoom(list: scene.list)
        try await within {
            try await scene.enter(as: scene.anna, at: other) { anna in
                try await perform(removal, scene)
                #expect(try await anna.event { _ in true } == .closed(scene.room.address, .expired))
                let closeCode = try await anna.closeCode()
                #expect(closeCode == SocketCloseCode.expired)
            }
            // Neither is the room there, nor can it be made again.
            #expect(try await scene.status(scene.path(scene.anna), as: scene.anna) == 404)
            let again = try await one.hail([], to: scene.room, by: scene.anna)
            #expect(try again.outcome == "409 serverRecordChanged")
            #expect(try await scene.status(scene.path(scene.anna), as: scene.anna) == 404)
            #expect(try await one.hail([], to: next, by: scene.anna).status == 200)
            try await scene.enter(as: scene.anna, at: other, next) { anna in
                // With the new room's secret, too, the removed person stays outside.
                let back = try await scene.status(scene.path(scene.ben, next), as: scene.ben)
                #expect(back == (removal == .accountDeleted ? 401 : 404))
                try await anna.send(raw: TestSocket.frame(0x9, [3]))
                let frame = try await anna.next()
                #expect(frame == .pong([3]))
            }
        }
    }

    @Test("a removed person's room of the same id, made first and anywhere, changes nothing", arguments: [1, 2])
    func removedPersonComesFirst(processes: Int) async throws {
        try await TestService.withProcesses(processes) { one, other in
            let scene = try await RoomScene(one)
            try await perform(.removed, scene)
            let next = TestRoom(list: scene.list)
            #expect(try await one.hail([], to: next, by: scene.anna).status == 200)
            // As if the new id had leaked as well.
            let twin = TestRoom(id: next.id, list: try await one.list(of: scene.ben))
            #expect(try await one.hail([], to: twin, by: scene.ben).status == 200)
            let tablet = try await one.signIn(scene.anna.email)
            try await within {
                try await scene.enter(as: scene.ben, at: other, twin) { ben in
                    try await scene.enter(as: tablet, at: other, next) { tablet in
                        try await scene.enter(as: scene.anna, at: one, next) { anna in
                            _ = try await tablet.event { $0.isEntered }
                            if processes == 2 { _ = try await anna.event { $0.isEntered } }
                            await one.service.rooms.checkPeople()
                            await other.service.rooms.checkPeople()
                            for number in 1...20 {
                                try await anna.send(.say(next.address, body: "secret-\(number)"))
                                try await ben.send(.say(twin.address, body: "forged"))
                            }
                            for number in 1...20 {
                                #expect(try await tablet.event { $0.saidBody != nil }?.saidBody == "secret-\(number)")
                            }
                            try await tablet.send(.say(next.address, body: "real"))
                            #expect(try await anna.event { $0.saidBody != nil }?.saidBody == "real")
                            try await ben.send(raw: TestSocket.frame(0x9, [7]))
                            let frame = try await ben.next()
                            #expect(frame == .pong([7]))
                        }
                    }
                }
            }
        }
    }

    @Test("a person who leaves ends no room of another list")
    func otherList() async throws {
        try await TestService.with { service in
            let scene = try await RoomScene(service)
            let elsewhere = TestRoom(list: try await service.list(of: scene.anna))
            #expect(try await service.hail([], to: elsewhere, by: scene.anna).status == 200)
            try await perform(.left, scene)
            #expect(try await scene.status(scene.path(scene.anna, elsewhere), as: scene.anna) == 101)
        }
    }
}
