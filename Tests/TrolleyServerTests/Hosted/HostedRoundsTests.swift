import Testing
import TrolleyJournal
import TrolleySync
import TrolleyWire

@testable import TrolleyServer

@Suite("Rounds of hosted devices", .timeLimit(.minutes(20)))
struct HostedRoundsTests {
    private let start = ContinuousClock.now
    private let all = HostedWork.Due(isWhole: true)
    private let some = HostedWork.Due(accounts: [AccountID(UUIDBits(high: 1, low: 1))])

    private func after(_ seconds: Int) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test("all devices are looked at in time, also while something is announced every second")
    func busy() {
        var rounds = HostedRounds()
        #expect(rounds.next(HostedWork.Due(), at: start).isWhole, "first of all")
        rounds.note(all, rest: .seconds(30), at: start)
        for second in 1..<30 {
            let next = rounds.next(some, at: after(second))
            #expect(!next.isWhole && next.accounts == some.accounts)
            rounds.note(some, rest: .seconds(30), at: after(second))
        }
        #expect(rounds.pause(at: after(29)) == .seconds(1))
        #expect(rounds.next(some, at: after(30)).isWhole)
    }

    @Test("a device that rests is looked at when its rest is over")
    func rest() {
        var rounds = HostedRounds()
        rounds.note(all, rest: .seconds(30), at: start)
        rounds.note(some, rest: .seconds(5), at: after(10))
        #expect(rounds.pause(at: after(10)) == .seconds(5))
        #expect(!rounds.next(HostedWork.Due(), at: after(14)).isWhole)
        #expect(rounds.next(HostedWork.Due(), at: after(15)).isWhole)
        rounds.note(all, rest: .seconds(30), at: after(15))
        #expect(rounds.pause(at: after(15)) == .seconds(30))
    }

    @Test("a device rests when a list has failed that doesn't wait by itself, also if the report names a busy one")
    func failedList() {
        var report = SyncReport()
        #expect(HostedDriving.rest(after: report, isComplete: true, hasFailedList: true) == nil)
        report.failure = .transport(.problem(Problem(.zoneBusy)))
        report.nextTry = HostedClock.now().wall.advanced(byMilliseconds: 3_600_000)
        #expect(HostedDriving.rest(after: report, isComplete: true, hasFailedList: false) == nil)
        // Not for as long as the busy list waits.
        let rest = HostedDriving.rest(after: report, isComplete: true, hasFailedList: true)
        #expect(rest == HostedDriving.shortestRest)
        let whole = HostedDriving.rest(after: report, isComplete: false, hasFailedList: true)
        #expect(whole.map { $0 > .seconds(3000) } == true)
    }
}
