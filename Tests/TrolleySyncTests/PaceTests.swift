import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct PaceTests {
    let now = Timestamp(milliseconds: 1_000_000)

    @Test func `waits grow to five minutes, with full jitter`() {
        var pace = Pace()
        var longest: [Int64] = []
        for _ in 1...12 {
            pace.noteFailure(retryAfter: nil, at: now, random: 0.999_999)
            longest.append((pace.nextTry?.milliseconds ?? 0) - now.milliseconds)
        }
        #expect(longest.map { ($0 + 999) / 1000 } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        pace.noteFailure(retryAfter: nil, at: now, random: 0)
        #expect(pace.nextTry == now)
    }

    @Test func `retryAfter is obeyed to the letter`() {
        var pace = Pace()
        pace.noteFailure(retryAfter: 17, at: now, random: 0.1)
        #expect(pace.nextTry == now.advanced(byMilliseconds: 17_000))
        for trigger in [Trigger.ownChange, .launch, .push, .timer] {
            #expect(pace.mustWait(at: now.advanced(byMilliseconds: 16_999), trigger: trigger))
            #expect(!pace.mustWait(at: now.advanced(byMilliseconds: 17_000), trigger: trigger))
        }
        #expect(!pace.mustWait(at: now, trigger: .byHand))
    }

    @Test func `a person who changes something is not held up by a lost connection`() {
        var pace = Pace()
        pace.noteFailure(retryAfter: nil, at: now, random: 0.9)
        #expect(!pace.mustWait(at: now, trigger: .ownChange))
        #expect(pace.mustWait(at: now, trigger: .timer))
    }

    @Test func `a learned limit is believed for a while, then grows again`() {
        var pace = Pace()
        pace.learn(entries: 50, at: now)
        func entries(after periods: Int64) -> Int {
            pace.entriesPerRequest(at: now.advanced(byMilliseconds: periods * Pace.belief))
        }
        #expect(entries(after: 0) == 50)
        #expect(pace.entriesPerRequest(at: now.advanced(byMilliseconds: Pace.belief - 1)) == 50)
        #expect([1, 2, 3, 4, 1_000_000].map(entries) == [100, 200, 400, 400, 400])
    }

    @Test func `a network that is back is tried at once, unless the service asked to wait`() {
        var pace = Pace()
        pace.noteFailure(retryAfter: nil, at: now, random: 0.9)
        #expect(!pace.mustWait(at: now, trigger: .network))
        pace.noteFailure(retryAfter: 9, at: now, random: 0.9)
        #expect(pace.mustWait(at: now, trigger: .network))
    }

    @Test func `lists are compared when the program starts, by hand and after compression, once an hour`() {
        var pace = Pace()
        #expect([Trigger.launch, .byHand].allSatisfy { pace.comparesDigests(at: now, trigger: $0) })
        #expect(!pace.comparesDigests(at: now, trigger: .push))
        pace.wantsDigests = true
        #expect(pace.comparesDigests(at: now, trigger: .push))
        pace.noteDigestsCompared(at: now)
        #expect(!pace.comparesDigests(at: now.advanced(byMilliseconds: 3_599_999), trigger: .launch))
        #expect(pace.comparesDigests(at: now.advanced(byMilliseconds: 3_600_000), trigger: .launch))
        #expect(
            pace.comparesDigests(at: now.advanced(byMilliseconds: -1), trigger: .launch), "a clock that was set back")
    }
}
