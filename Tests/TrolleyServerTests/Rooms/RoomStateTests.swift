import NIOEmbedded
import Testing
import TrolleyJournal
import TrolleyStore
import TrolleyWire

@testable import TrolleyServer

/// What processes know of each other's sockets, without a database.
@Suite("The rooms of several processes", .timeLimit(.minutes(20)))
struct RoomStateTests {
    private let now = ContinuousClock.now
    private let pass = RoomPass(
        room: RoomAddress(.random(), on: .random()), handshakeKey: [1], remaining: 3_600_000, asked: .now)

    private func socket() -> Socket {
        Socket(
            Session(account: .random(), device: .random()), address: nil, isForOneRoom: true, limits: RoomLimits(),
            frames: FrameBudget(RoomLimits()), on: EmbeddedChannel()
        ) { _, _ in }
    }

    /// A process with one socket in the room, and what it tells the others.
    private func process(with socket: Socket) throws -> (state: RoomState, signals: [RoomSignal]) {
        var state = RoomState(remoteLifetime: .seconds(45))
        _ = state.open(socket)
        guard case .entered(_, let delivery) = state.join(socket, pass, at: now) else { throw NotEntered() }
        return (state, delivery.signals)
    }

    private struct NotEntered: Error {}

    @Test("rooms of one id on two lists are two rooms, for sockets and for signals")
    func twoLists() throws {
        let (anna, ben) = (socket(), socket())
        var (state, _) = try process(with: anna)
        _ = state.open(ben)
        let elsewhere = RoomPass(
            room: RoomAddress(pass.room.id, on: .random()), handshakeKey: [2], remaining: 3_600_000, asked: .now)
        guard case .entered(let others, let delivery) = state.join(ben, elsewhere, at: now) else { throw NotEntered() }
        #expect(others.isEmpty && delivery.sockets.isEmpty && state.rooms.count == 2)
        #expect(state.say("x", in: pass.room, by: anna, at: now)?.sockets.isEmpty == true)
        #expect(state.say("x", in: pass.room, by: ben, at: now) == nil)
        let remote = socket().member
        #expect(state.received(.entered(elsewhere.room, remote), from: "two", at: now).sockets.first === ben)
        #expect(state.received(.said(elsewhere.room, remote, body: "x"), from: "two", at: now).sockets.count == 1)
        #expect(state.say("x", in: pass.room, by: anna, at: now)?.signals.isEmpty == true)
        #expect(state.leave(ben, pass.room) == nil)
    }

    @Test("a socket that joins its own room again is told who is there, and stays")
    func again() throws {
        let (anna, ben) = (socket(), socket())
        var (state, _) = try process(with: anna)
        _ = state.open(ben)
        _ = state.join(ben, pass, at: now)
        guard case .already(let others) = state.join(anna, pass, at: now) else { throw NotEntered() }
        #expect(others == [ben.member] && state.rooms[pass.room]?.count == 2)
    }

    @Test("in a room two seconds' worth is said at once, by devices here and elsewhere together; the rest goes nowhere")
    func tooMuch() throws {
        let (anna, ben) = (socket(), socket())
        var (state, _) = try process(with: anna)
        _ = state.open(ben)
        _ = state.join(ben, pass, at: now)
        let remote = socket().member
        _ = state.received(.entered(pass.room, remote), from: "two", at: now)
        let rate = RoomLimits().messagesPerSecondByRoom
        for _ in 0..<rate { #expect(state.say("x", in: pass.room, by: anna, at: now)?.sockets.count == 1) }
        for _ in 0..<rate {
            #expect(state.received(.said(pass.room, remote, body: "x"), from: "two", at: now).sockets.count == 2)
        }
        let said = state.say("x", in: pass.room, by: ben, at: now)
        let refused = try #require(said)
        #expect(refused.sockets.isEmpty && refused.signals.isEmpty && refused.dropped == 1)
        let dropped = state.received(.said(pass.room, remote, body: "x"), from: "two", at: now)
        #expect(dropped.sockets.isEmpty && dropped.dropped == 1)
        let later = (0..<1000).count { _ in
            state.say("x", in: pass.room, by: ben, at: now + .seconds(1))?.dropped == 0
        }
        #expect(later == rate)
    }

    @Test("a handshake by another key than the room's opens nothing")
    func otherKey() throws {
        let (anna, ben) = (socket(), socket())
        var (state, _) = try process(with: anna)
        _ = state.open(ben)
        let later = RoomPass(room: pass.room, handshakeKey: [9], remaining: 3_600_000, asked: .now)
        guard case .refused = state.join(ben, later, at: now) else { throw NotEntered() }
        #expect(state.rooms[pass.room]?.count == 1)
    }

    @Test("a process that listens late is told at once who is in its rooms")
    func late() throws {
        let (anna, ben) = (socket(), socket())
        var (one, _) = try process(with: anna)
        var (other, entered) = try process(with: ben)
        // The other process doesn't listen yet, so the answer to its first signal is lost.
        for signal in entered { _ = one.received(signal, from: "other", at: now) }
        #expect(other.say("unheard", in: pass.room, by: ben, at: now)?.signals.isEmpty == true)
        let answers = other.askingSignals.flatMap { one.received($0, from: "other", at: now).signals }
        #expect(answers == [.present(pass.room, anna.member)])
        let told = answers.flatMap { other.received($0, from: "one", at: now).sockets }
        #expect(told.count == 1 && told.first === ben)
        #expect(
            other.say("heard", in: pass.room, by: ben, at: now)?.signals == [
                .said(pass.room, ben.member, body: "heard")
            ])
    }

    @Test("a process asks once for each room, however many sockets it has there, and no answer asks again")
    func asking() throws {
        let (anna, ben) = (socket(), socket())
        var (one, _) = try process(with: anna)
        _ = one.open(ben)
        _ = one.join(ben, pass, at: now)
        let asking = one.askingSignals
        #expect(asking == [.entered(pass.room, anna.member), .present(pass.room, ben.member)])
        var (other, _) = try process(with: socket())
        let answers = asking.flatMap { other.received($0, from: "one", at: now).signals }
        #expect(answers.count == 1)
        let further = answers.flatMap { one.received($0, from: "other", at: now).signals }
        #expect(further.isEmpty)
    }

    @Test("a device of a process that has died is gone after three intervals, and one that is repeated stays")
    func silent() throws {
        let anna = socket()
        var (one, _) = try process(with: anna)
        let (dead, alive) = (socket().member, socket().member)
        _ = one.received(.present(pass.room, dead), from: "dead", at: now)
        _ = one.received(.present(pass.room, alive), from: "alive", at: now)
        _ = one.received(.present(pass.room, alive), from: "alive", at: now + .seconds(30))
        let early = one.forgetSilent(at: now + .seconds(44))
        let gone = one.forgetSilent(at: now + .seconds(46))
        #expect(early.isEmpty && gone.map(\.1) == [dead.device] && gone.first?.2.first === anna)
    }

    @Test("a device at two processes has left only when it has left both")
    func twice() throws {
        let (anna, ben) = (socket(), socket())
        var (one, _) = try process(with: anna)
        let first = one.received(.entered(pass.room, ben.member), from: "two", at: now)
        let second = one.received(.present(pass.room, ben.member), from: "three", at: now)
        #expect(first.sockets.count == 1 && second.sockets.isEmpty)
        // A process that asks has missed what devices here said, so they say it again.
        let asking = one.received(.entered(pass.room, ben.member), from: "three", at: now)
        #expect(asking.sockets.count == 1)
        let leftOne = one.received(.left(pass.room, ben.member.device), from: "two", at: now)
        let leftBoth = one.received(.left(pass.room, ben.member.device), from: "three", at: now)
        #expect(leftOne.sockets.isEmpty && leftBoth.sockets.count == 1)
    }
}
