import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("What processes tell each other", .timeLimit(.minutes(20)))
struct ChangeSignalTests {
    private let list = ListID.version7(at: .now, random: RandomBits.random)
    private let account = AccountID.version7(at: .now, random: RandomBits.random)
    private let device = DeviceID.version7(at: .now, random: RandomBits.random)

    private var all: Set<ChangeSignal> {
        [
            .appended(list, from: SequenceNumber(rawValue: 3), to: SequenceNumber(rawValue: 5), by: device),
            .list(list),
            .people(list), .account(account), .signedOut(device), .hosted(account), .work, .everything,
        ]
    }

    @Test("each signal arrives as it was sent, and not at its sender")
    func roundTrip() throws {
        let payloads = ChangePayload.payloads(of: all, from: "one")
        #expect(payloads.count == 1)
        #expect(Set(try #require(ChangePayload.signals(in: payloads[0], except: "two"))) == all)
        #expect(ChangePayload.signals(in: payloads[0], except: "one") == nil)
    }

    @Test(
        "what this version can't read means that anything may have changed",
        arguments: ["one", "one\nx 1", "one\na \(0) 1", "one\nl no-id", "one\na", ""])
    func unknown(payload: String) {
        #expect(ChangePayload.signals(in: payload, except: "two") == [.everything])
    }

    @Test("many signals take several payloads within PostgreSQL's limit; too many become one")
    func many() {
        func signals(_ count: Int) -> Set<ChangeSignal> {
            Set((0..<count).map { _ in .list(.version7(at: .now, random: RandomBits.random)) })
        }
        let some = signals(1000)
        let payloads = ChangePayload.payloads(of: some, from: "one")
        #expect(payloads.count > 1 && payloads.allSatisfy { $0.utf8.count < 8000 })
        #expect(Set(payloads.flatMap { ChangePayload.signals(in: $0, except: "two") ?? [] }) == some)
        let much = ChangePayload.payloads(of: signals(10_000), from: "one")
        #expect(much.map { ChangePayload.signals(in: $0, except: "two") } == [[.everything]])
    }
}
