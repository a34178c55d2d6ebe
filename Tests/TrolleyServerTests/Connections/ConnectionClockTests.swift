import NIOCore
import Testing

@testable import TrolleyServer

@Suite("Clocks of a connection", .timeLimit(.minutes(20)))
struct ConnectionClockTests {
    private static let timeouts = Timeouts(
        head: .seconds(10), body: .seconds(60), idle: .seconds(100), write: .seconds(30), linger: .seconds(2))
    private func at(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }
    private func due(_ seconds: Int64, _ reason: TimeoutReason) -> Deadline {
        Deadline(at: at(seconds), reason: reason)
    }

    @Test("a head has its time from its first byte, a request none, and then the connection may be idle")
    func heads() {
        var clock = ConnectionClock(Self.timeouts, at: at(0))
        #expect(clock.deadline == due(10, .head))
        clock.bytesArrived(at: at(9))
        #expect(clock.deadline == due(10, .head), "dribbling doesn't help")
        clock.requestBegan(multiplexed: false)
        #expect(clock.deadline == nil)
        clock.bytesArrived(at: at(50))
        clock.requestsEnded(at: at(60))
        #expect(clock.deadline == due(160, .idle))
        clock.bytesArrived(at: at(150))
        #expect(clock.deadline == due(160, .head))
    }

    @Test("under HTTP/2 bytes that open no stream keep nothing alive")
    func multiplexed() {
        var clock = ConnectionClock(Self.timeouts, at: at(0))
        clock.requestBegan(multiplexed: true)
        clock.requestBegan(multiplexed: true)
        clock.requestsEnded(at: at(5))
        #expect(clock.deadline == nil)
        clock.requestsEnded(at: at(20))
        clock.bytesArrived(at: at(90))
        #expect(clock.deadline == due(120, .idle))
    }

    @Test("a body has its time, and after an early answer hardly any")
    func bodies() {
        var clock = RequestClock(Self.timeouts, at: at(0))
        #expect(clock.deadline == nil)
        clock.headArrived(at: at(1))
        #expect(clock.deadline == due(61, .body))
        clock.answered(at: at(5))
        #expect(clock.deadline == due(7, .linger))
        clock.bodyArrived()
        #expect(clock.deadline == nil)
        clock.answered(at: at(8))
        #expect(clock.deadline == nil, "an answer in time leaves nothing behind")
    }

    @Test("an answer that is read slowly may take as long as a slow phone needs; one that isn't read ends")
    func answers() {
        var clock = RequestClock(Self.timeouts, at: at(0))
        clock.wrote(bytes: 0, at: at(1))
        clock.wrote(bytes: 1 << 20, at: at(1))
        #expect(clock.deadline == due(1 + 30 + 1024, .write))
        clock.left(bytes: 0, at: at(3))
        #expect(clock.deadline == due(3 + 30 + 1024, .write))
        clock.left(bytes: 1 << 20, at: at(50))
        #expect(clock.deadline == nil)
        clock.wrote(bytes: 10, at: at(500))
        #expect(clock.deadline?.at ?? at(0) > at(529), "the time between two events doesn't count")
    }

    @Test("connections are bounded, in all and from one address")
    func counting() {
        let count = ConnectionCount(maximum: 3, byAddress: 2)
        let (here, there) = (IPAddress("192.0.2.1"), IPAddress("192.0.2.2"))
        #expect([count.enter(here), count.enter(here), count.enter(here)] == [true, true, false])
        #expect([count.enter(there), count.enter(there)] == [true, false])
        count.leave(here)
        #expect(count.total == 2 && count.enter(there))
        #expect(!count.enter(nil))
    }

    @Test("a full service still answers whether it lives, to its own machine")
    func healthCheck() {
        let count = ConnectionCount(maximum: 3, byAddress: 100)
        for _ in 0..<3 { #expect(count.enter(IPAddress("192.0.2.1"))) }
        #expect(["192.0.2.2", "128.0.0.1", "2001:db8::1"].allSatisfy { !count.enter(IPAddress($0)) })
        #expect(["127.0.0.1", "::1", "127.0.0.2", "127.0.0.1"].allSatisfy { count.enter(IPAddress($0)) })
        #expect(!count.enter(IPAddress("127.0.0.1")), "that is bounded too")
        #expect(!count.enter(nil), "who comes through a trusted proxy is not this machine")
    }
}
