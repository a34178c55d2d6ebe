import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Signals between processes", .timeLimit(.minutes(20)))
struct RoomSignalTests {
    private let member = RoomMember(account: .random(), device: .random())

    @Test("each signal is read as it was written")
    func roundTrip() {
        let room = RoomAddress(.random(), on: .random())
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

    @Test("a signal of the version before, whose room has no list, is ignored, and so is ours there")
    func earlierVersion() {
        let (room, account, device) = (RoomID.random(), AccountID.random(), DeviceID.random())
        for text in [
            "S \(room) \(account) \(device) AAAA", "E \(room) \(account) \(device)", "P \(room) \(account) \(device)",
            "L \(room) \(device)",
        ] { #expect(RoomSignal(text) == nil) }
        #expect(
            RoomPayload.unpack("process 1\nE \(room) \(account) \(device)\nH \(room) \(device)")?.signals.count == 1)
        // The version before reads these letters only.
        let address = RoomAddress(room, on: .random())
        for signal in [
            RoomSignal.said(address, member, body: "AAAA"), .entered(address, member), .present(address, member),
            .left(address, device),
        ] { #expect(!["S", "E", "P", "L", "H"].contains(signal.description.prefix { $0 != " " })) }
    }

    @Test("payloads keep the order, stay below the limit of NOTIFY, and differ from each other")
    func payloads() {
        let signals = (0..<200).map {
            RoomSignal.said(RoomAddress(.random(), on: .random()), member, body: "body-\($0)")
        }
        var number: UInt64 = 0
        let same = Array(repeating: signals[0].description, count: 200)
        let payloads = RoomPayload.pack(
            signals.map(\.description), from: "process", number: &number, maximumBytes: 7900)
        #expect(payloads.allSatisfy { $0.utf8.count <= 7900 } && payloads.count > 1)
        #expect(payloads.flatMap { RoomPayload.unpack($0)?.signals ?? [] } == signals)
        #expect(RoomPayload.unpack(payloads[0])?.process == "process")
        #expect(RoomPayload.unpack(payloads[0], except: "process") == nil, "what a process has sent itself")
        #expect(RoomPayload.unpack(payloads[0], except: "another")?.signals.isEmpty == false)
        let received = payloads.compactMap { RoomPayload.unpack($0) }
        #expect(received.last?.number == 200 && received.reduce(0) { $0 + $1.count } == 200)
        let equal = RoomPayload.pack(same, from: "process", number: &number, maximumBytes: 7900)
        #expect(Set(equal).count == equal.count)
    }

    @Test("the longest signal fits into one payload")
    func longest() {
        let longest = RoomSignal.said(
            RoomAddress(.random(), on: .random()), member,
            body: String(repeating: "A", count: RoomLimits().charactersPerBody))
        var number = UInt64.max - 1
        let payloads = RoomPayload.pack(
            [longest.description], from: Secret().text, number: &number, maximumBytes: 7900)
        #expect(payloads.count == 1 && payloads[0].utf8.count < 8000)
    }
}
