import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyServer

@Suite("Signals that were lost between processes", .timeLimit(.minutes(20)))
struct SignalGapsTests {
    private let start = ContinuousClock.now

    private func payload(_ number: UInt64?, of count: Int = 1, from process: String = "a") -> RoomPayload.Received {
        RoomPayload.Received(process: process, number: number, count: count, signals: [])
    }

    @Test("what is missing between two payloads of one process is counted, and reported once")
    func counted() {
        let gaps = Gaps()
        #expect(gaps.note(payload(100), at: start) == 0, "what was before is not known")
        #expect(gaps.note(payload(103, of: 3), at: start) == 0)
        #expect(gaps.note(payload(1, from: "b"), at: start) == 0)
        #expect(!gaps.takeReport(at: start))
        #expect(gaps.note(payload(110, of: 2), at: start) == 5)
        #expect(gaps.takeReport(at: start))
        #expect(!gaps.takeReport(at: start))
    }

    @Test("a gap right after a report is told a second later")
    func pause() {
        let gaps = Gaps()
        gaps.noteGap()
        #expect(gaps.takeReport(at: start))
        gaps.noteGap()
        #expect(!gaps.takeReport(at: start + .milliseconds(999)))
        #expect(gaps.takeReport(at: start + .seconds(1)))
    }

    @Test("payloads of an earlier version, numbered one by one or not at all, have no gaps")
    func earlier() {
        let gaps = Gaps()
        for number in UInt64(1)...5 { #expect(gaps.note(payload(number, of: 4), at: start) == 0) }
        #expect(gaps.note(payload(nil), at: start) == 0)
    }

    @Test("a process that was silent for an hour is forgotten")
    func memory() {
        let gaps = Gaps()
        _ = gaps.note(payload(1), at: start)
        _ = gaps.note(payload(1, from: "b"), at: start + .seconds(3600))
        #expect(gaps.note(payload(9), at: start + .seconds(3600)) == 0)
    }
}

/// Gaps whose methods can be called within expectations.
private final class Gaps {
    private var gaps = SignalGaps()

    func note(_ payload: RoomPayload.Received, at now: ContinuousClock.Instant) -> Int { gaps.note(payload, at: now) }
    func noteGap() { gaps.noteGap() }
    func takeReport(at now: ContinuousClock.Instant) -> Bool { gaps.takeReport(at: now) }
}
