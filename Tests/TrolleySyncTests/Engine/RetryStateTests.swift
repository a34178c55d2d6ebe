import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct RetryStateTests {
    let now = Timestamp(milliseconds: 1_000_000)

    @Test func `waits grow to five minutes, with full jitter`() {
        var retryState = RetryState()
        var longest: [Int64] = []
        for _ in 1...12 {
            retryState.noteFailure(retryAfter: nil, at: now, random: 0.999_999)
            longest.append((retryState.nextTry?.milliseconds ?? 0) - now.milliseconds)
        }
        #expect(longest.map { ($0 + 999) / 1000 } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
        retryState.noteFailure(retryAfter: nil, at: now, random: 0)
        #expect(retryState.nextTry == now)
    }

    @Test func `retryAfter is obeyed to the letter`() {
        var retryState = RetryState()
        retryState.noteFailure(retryAfter: 17, at: now, random: 0.1)
        #expect(retryState.nextTry == now.advanced(byMilliseconds: 17_000))
        for trigger in [Trigger.ownChange, .launch, .push, .timer] {
            #expect(retryState.mustWait(at: now.advanced(byMilliseconds: 16_999), trigger: trigger))
            #expect(!retryState.mustWait(at: now.advanced(byMilliseconds: 17_000), trigger: trigger))
        }
        #expect(!retryState.mustWait(at: now, trigger: .manual))
    }

    @Test func `a person who changes something is not held up by a lost connection`() {
        var retryState = RetryState()
        retryState.noteFailure(retryAfter: nil, at: now, random: 0.9)
        #expect(!retryState.mustWait(at: now, trigger: .ownChange))
        #expect(retryState.mustWait(at: now, trigger: .timer))
    }

    @Test func `a learned limit is believed for a while, then grows again`() {
        var retryState = RetryState()
        retryState.learn(entries: 50, at: now)
        func entries(after periods: Int64) -> Int {
            retryState.entriesPerRequest(at: now.advanced(byMilliseconds: periods * RetryState.learnedLimitLifetime))
        }
        #expect(entries(after: 0) == 50)
        #expect(
            retryState.entriesPerRequest(at: now.advanced(byMilliseconds: RetryState.learnedLimitLifetime - 1)) == 50)
        #expect([1, 2, 3, 4, 1_000_000].map(entries) == [100, 200, 400, 400, 400])
    }

    @Test func `a network that is back is tried at once, unless the service asked to wait`() {
        var retryState = RetryState()
        retryState.noteFailure(retryAfter: nil, at: now, random: 0.9)
        #expect(!retryState.mustWait(at: now, trigger: .network))
        retryState.noteFailure(retryAfter: 9, at: now, random: 0.9)
        #expect(retryState.mustWait(at: now, trigger: .network))
    }

    @Test func `lists are compared when the program starts, by hand and after compression, once an hour`() {
        var retryState = RetryState()
        #expect([Trigger.launch, .manual].allSatisfy { retryState.comparesDigests(at: now, trigger: $0) })
        #expect(!retryState.comparesDigests(at: now, trigger: .push))
        retryState.wantsDigests = true
        #expect(retryState.comparesDigests(at: now, trigger: .push))
        retryState.noteDigestsCompared(at: now)
        #expect(!retryState.comparesDigests(at: now.advanced(byMilliseconds: 3_599_999), trigger: .launch))
        #expect(retryState.comparesDigests(at: now.advanced(byMilliseconds: 3_600_000), trigger: .launch))
        #expect(
            retryState.comparesDigests(at: now.advanced(byMilliseconds: -1), trigger: .launch),
            "a clock that was set back")
    }

    @Test func `a wait that the service asked for ends when the wall clock is set back`() {
        var retryState = RetryState()
        let list = ListID(UUIDBits(high: 0, low: 1))
        let problem = Problem(.requestRateLimited, retryAfter: 60)
        retryState.noteFailure(retryAfter: 60, at: now, random: 0.5)
        retryState.noteFailure(of: list, retryAfter: 60, at: now, random: 0.5)
        retryState.note(.transport(.problem(problem)), at: now)
        var corrected = retryState
        corrected.endWaits(ifSetBackAt: now.advanced(byMilliseconds: -2_000))
        #expect(corrected == retryState)
        let dayBefore = now.advanced(byMilliseconds: -86_400_000)
        retryState.endWaits(ifSetBackAt: dayBefore)
        #expect(!retryState.mustWait(at: dayBefore, trigger: .timer))
        #expect(retryState.waitingLists(at: dayBefore, trigger: .timer).isEmpty)
        // A new wait under the new clock is kept.
        retryState.noteFailure(retryAfter: 60, at: dayBefore, random: 0.5)
        retryState.note(.transport(.problem(problem)), at: dayBefore)
        retryState.endWaits(ifSetBackAt: dayBefore)
        #expect(retryState.mustWait(at: dayBefore.advanced(byMilliseconds: 59_000), trigger: .timer))
    }

    @Test func `a stored state has the members that earlier versions gave it`() throws {
        let stored = #"""
            {"failures":3,"failingSince":"2026-03-01T09:00:00.000Z","nextTry":"2026-03-01T09:00:04.000Z",\#
            "askedToWait":true,"limits":{"ageCap":5,"bytesOfFields":4096,"bytesPerEntry":8192,"bytesPerRequest":2097152,\#
            "changesPerPage":5000,"defaultChangesPerPage":1000,"entriesPerRequest":7,"fieldsPerEntry":16,\#
            "participantsPerList":100},"learnedEntries":9,"learnedUntil":"2026-03-01T09:10:00.000Z",\#
            "lately":[{"code":"unreachable","count":2,"at":"2026-03-01T09:00:00.000Z"}],\#
            "digestsComparedAt":"2026-03-01T08:00:00.000Z","wantsDigests":true,\#
            "sessionEndedAt":"2026-03-01T07:00:00.000Z","lists":[{"list":"00000000-0000-0000-0000-000000000001",\#
            "failures":1,"nextTry":"2026-03-01T09:00:05.000Z","askedToWait":false}]}
            """#
        let read = try JSONObject.read(stored.utf8) { RetryState($0) }
        #expect(read.failures == 3 && read.askedToWait && read.limits == Limits(entriesPerRequest: 7, ageCap: 5))
        #expect(read.learnedEntries == 9 && read.wantsDigests == true && read.lately?.map(\.count) == [2])
        #expect(read.lists?.map(\.list) == [ListID(UUIDBits(high: 0, low: 1))])
        var writer = JSONWriter()
        read.write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == stored)
        // As 0.1 stored it.
        let least = try JSONObject.read(#"{"failures":0,"askedToWait":false}"#.utf8) { RetryState($0) }
        #expect(least == RetryState())
    }
}
