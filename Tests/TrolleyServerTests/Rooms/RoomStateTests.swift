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
    private let pass = RoomPass(room: .random(), list: .random(), remaining: 3_600_000, asked: .now)

    private func socket() -> Socket {
        Socket(
            Session(account: .random(), device: .random()), address: nil, isForOneRoom: true, limits: RoomLimits(),
            on: EmbeddedChannel()
        ) { _, _ in }
    }

    /// A process with one socket in the room, and what it tells the others.
    private func process(with socket: Socket) throws -> (state: RoomState, signals: [RoomSignal]) {
        var state = RoomState(remoteLifetime: .seconds(45))
        _ = state.open(socket)
        let joined = state.join(socket, pass, at: now)
        return (state, try #require(joined).1.signals)
    }

    @Test("a process that listens late is told at once who is in its rooms")
    func late() throws {
        let (anna, ben) = (socket(), socket())
        var (one, _) = try process(with: anna)
        var (other, entered) = try process(with: ben)
        // The other process doesn't listen yet, so the answer to its first signal is lost.
        for signal in entered { _ = one.received(signal, from: "other", at: now) }
        #expect(other.say("unheard", in: pass.room, by: ben)?.signals.isEmpty == true)
        let answers = other.askingSignals.flatMap { one.received($0, from: "other", at: now).signals }
        #expect(answers == [.present(pass.room, anna.member)])
        let told = answers.flatMap { other.received($0, from: "one", at: now).sockets }
        #expect(told.count == 1 && told.first === ben)
        #expect(
            other.say("heard", in: pass.room, by: ben)?.signals == [.said(pass.room, ben.member, body: "heard")])
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
        let second = one.received(.entered(pass.room, ben.member), from: "three", at: now)
        #expect(first.sockets.count == 1 && second.sockets.isEmpty)
        let leftOne = one.received(.left(pass.room, ben.member.device), from: "two", at: now)
        let leftBoth = one.received(.left(pass.room, ben.member.device), from: "three", at: now)
        #expect(leftOne.sockets.isEmpty && leftBoth.sockets.count == 1)
    }
}
