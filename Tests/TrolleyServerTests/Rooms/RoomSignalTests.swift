import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Signals between processes", .timeLimit(.minutes(20)))
struct RoomSignalTests {
    private let member = RoomMember(account: .random(), device: .random())

    @Test("each signal is read as it was written")
    func roundTrip() {
        let room = RoomID.random()
        let signals: [RoomSignal] = [
            .said(room, member, body: "AbC-_9"), .entered(room, member), .present(room, member),
            .left(room, member.device), .hailed(.random(), member.device),
        ]
        for signal in signals { #expect(RoomSignal(signal.description) == signal) }
    }

    @Test(
        "a signal that is cut off, or of a later version, is none",
        arguments: ["", "S", "S a b c", "E 1", "Z 0198 0198 0198", "S \(RoomID.random()) \(AccountID.random())"])
    func unreadable(text: String) { #expect(RoomSignal(text) == nil) }

    @Test("payloads keep the order, stay below the limit of NOTIFY, and differ from each other")
    func payloads() {
        let signals = (0..<200).map { RoomSignal.said(.random(), member, body: "body-\($0)") }
        var number: UInt64 = 0
        let same = Array(repeating: signals[0].description, count: 200)
        let payloads = RoomPayload.pack(
            signals.map(\.description), from: "process", number: &number, maximumBytes: 7900)
        #expect(payloads.allSatisfy { $0.utf8.count <= 7900 } && payloads.count > 1)
        #expect(payloads.flatMap { RoomPayload.unpack($0)?.signals ?? [] } == signals)
        #expect(RoomPayload.unpack(payloads[0])?.process == "process")
        let equal = RoomPayload.pack(same, from: "process", number: &number, maximumBytes: 7900)
        #expect(Set(equal).count == equal.count)
    }

    @Test("the longest signal fits into one payload")
    func longest() {
        let longest = RoomSignal.said(
            .random(), member, body: String(repeating: "A", count: RoomLimits().charactersPerBody))
        var number = UInt64.max - 1
        let payloads = RoomPayload.pack(
            [longest.description], from: Secret().text, number: &number, maximumBytes: 7900)
        #expect(payloads.count == 1 && payloads[0].utf8.count < 8000)
    }
}
