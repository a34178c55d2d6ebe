import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleySync

@Suite(.timeLimit(.minutes(20))) struct SyncMachineTests {
    let now = Timestamp(milliseconds: 1_800_000_000_000)
    let lists = (1...3).map { ListID(UUIDBits(high: 0, low: $0)) }

    /// Runs a machine that is about to upload from the first list.
    func uploading(_ waiting: [Int]) -> SyncMachine {
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.manual), at: now, random: 0)
        #expect(machine.next(after: .deviceStatus(deviceStatus(waiting)), at: now, random: 0) == .fetchLimits)
        #expect(machine.next(after: .limits(Limits()), at: now, random: 0) == .readStatus)
        return machine
    }

    func deviceStatus(_ waiting: [Int]) -> DeviceStatus {
        DeviceStatus(
            lists: zip(lists, waiting).map { DeviceStatus.List(id: $0, isPublished: true, token: "t", waiting: $1) })
    }

    func fail(_ code: ProblemCode, retryAfter: Int? = nil, entries: Int = 5) -> SyncMachine.Event {
        .uploadFailed(.problem(Problem(code, retryAfter: retryAfter)), entries: entries, bytes: 100)
    }

    @Test func `it publishes, uploads, fetches and applies, in this order, and looks in between`() {
        var machine = SyncMachine()
        let list = lists[0]
        func next(_ event: SyncMachine.Event) -> SyncMachine.Action { machine.next(after: event, at: now, random: 0) }
        #expect(next(.begun(.launch)) == .readStatus)
        var list1 = DeviceStatus.List(id: list, isPublished: false, waiting: 2)
        #expect(next(.deviceStatus(DeviceStatus(lists: [list1]))) == .publish(list))
        #expect(next(.done) == .readStatus)
        list1.isPublished = true
        #expect(next(.deviceStatus(DeviceStatus(lists: [list1]))) == .fetchLimits)
        _ = next(.limits(Limits()))
        #expect(next(.deviceStatus(DeviceStatus(lists: [list1]))) == .upload(list, entries: 400, bytes: 2 << 20))
        #expect(next(.uploaded(sent: 2, rejected: 0, held: 0)) == .readStatus)
        list1.waiting = 0
        #expect(next(.deviceStatus(DeviceStatus(lists: [list1]))) == .fetch(tokens: [:], afresh: [list], digests: true))
        #expect(next(.fetched(FetchOutcome(news: 3, progressed: true), moreComing: false)) == .readStatus)
        list1.toApply = 3
        list1.isShopping = true
        #expect(next(.deviceStatus(DeviceStatus(lists: [list1]))) == .apply(list, shopping: true))
        #expect(next(.done) == .readStatus)
        guard case .finish(let report) = next(.deviceStatus(DeviceStatus(lists: [list1]))) else {
            Issue.record("what waits for a tap doesn't keep a run going")
            return
        }
        #expect(report.outcome == .newData && report.sent == 2 && report.received == 3 && report.failure == nil)
    }

    @Test func `a list that can't go on doesn't hold up the others, and is complained of at the end`() {
        var machine = uploading([5, 3])
        #expect(
            machine.next(after: .deviceStatus(deviceStatus([5, 3])), at: now, random: 0)
                == .upload(lists[0], entries: 400, bytes: 2 << 20))
        #expect(machine.next(after: fail(.quotaExceeded), at: now, random: 0) == .readStatus)
        #expect(
            machine.next(after: .deviceStatus(deviceStatus([5, 3])), at: now, random: 0)
                == .upload(lists[1], entries: 400, bytes: 2 << 20))
        _ = machine.next(after: .uploaded(sent: 3, rejected: 0, held: 0), at: now, random: 0)
        _ = machine.next(after: .deviceStatus(deviceStatus([5, 0])), at: now, random: 0)
        _ = machine.next(after: .fetched(FetchOutcome(progressed: true), moreComing: false), at: now, random: 0)
        guard case .finish(let report) = machine.next(after: .deviceStatus(deviceStatus([5, 0])), at: now, random: 0)
        else {
            Issue.record("nothing is left to do")
            return
        }
        #expect(report.failure?.code == .quotaExceeded && report.waiting == 5)
    }

    @Test(arguments: ProblemCode.allCases)
    func `every refusal of an upload leads somewhere`(_ code: ProblemCode) {
        var machine = uploading([5])
        _ = machine.next(after: .deviceStatus(deviceStatus([5])), at: now, random: 0.5)
        let action = machine.next(after: fail(code, retryAfter: 9), at: now, random: 0.5)
        switch code {
        case .limitExceeded, .invalidArguments, .serverRecordChanged, .batchRequestFailed, .partialFailure:
            #expect(action == .readStatus && machine.retryState.learnedEntries == 3, "halved")
        case .permissionFailure: #expect(action == .reject(lists[0], entries: 5, code, nil))
        case .requestRateLimited, .serviceUnavailable, .internalError:
            guard case .finish(let report) = action else {
                Issue.record("it waits")
                return
            }
            #expect(report.nextTry == now.advanced(byMilliseconds: 9000) && machine.retryState.askedToWait)
        case .notAuthenticated, .incompatibleVersion:
            guard case .finish(let report) = action else {
                Issue.record("it stops")
                return
            }
            #expect(report.failure?.code == code && report.nextTry == nil)
        default: #expect(action == .readStatus, "the other lists go on")
        }
    }

    @Test func `a list that is busy or away waits, and the others go on`() {
        var machine = uploading([5, 3])
        _ = machine.next(after: .deviceStatus(deviceStatus([5, 3])), at: now, random: 0.5)
        #expect(machine.next(after: fail(.zoneBusy, retryAfter: 9), at: now, random: 0.5) == .readStatus)
        #expect(
            machine.next(after: .deviceStatus(deviceStatus([5, 3])), at: now, random: 0.5)
                == .upload(lists[1], entries: 400, bytes: 2 << 20))
        _ = machine.next(after: .uploaded(sent: 3, rejected: 0, held: 0), at: now, random: 0.5)
        _ = machine.next(after: .deviceStatus(deviceStatus([5, 0])), at: now, random: 0.5)
        _ = machine.next(after: .fetched(FetchOutcome(progressed: true), moreComing: false), at: now, random: 0.5)
        guard case .finish(let report) = machine.next(after: .deviceStatus(deviceStatus([5, 0])), at: now, random: 0.5)
        else {
            Issue.record("nothing is left to do just now")
            return
        }
        #expect(report.failure?.code == .zoneBusy && report.waiting == 5 && report.sent == 3)
        #expect(report.nextTry == now.advanced(byMilliseconds: 9000))
    }

    @Test func `a list that is busy doesn't hold up the next run of the others, and waits by itself`() {
        var state = RetryState()
        state.limits = Limits()
        state.noteFailure(of: lists[0], retryAfter: 9, at: now, random: 0)
        func status(_ waiting: [Int]) -> SyncMachine.Event {
            var status = deviceStatus(waiting)
            status.retryState = state
            return .deviceStatus(status)
        }
        for (trigger, seconds, first) in [
            (Trigger.timer, 1, 1), (.network, 1, 1), (.ownChange, 1, 1), (.manual, 1, 0), (.timer, 9, 0),
        ] {
            var machine = SyncMachine()
            let at = now.advanced(byMilliseconds: Int64(seconds) * 1000)
            _ = machine.next(after: .begun(trigger), at: at, random: 0)
            let action = machine.next(after: status([5, 3]), at: at, random: 0)
            #expect(action == .upload(lists[first], entries: 400, bytes: 2 << 20), "\(trigger) after \(seconds) s")
        }
        // Nothing else is left, and the report says when the list is due.
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.timer), at: now, random: 0)
        _ = machine.next(after: status([5, 0]), at: now, random: 0)
        _ = machine.next(after: .fetched(FetchOutcome(progressed: true), moreComing: false), at: now, random: 0)
        guard case .finish(let report) = machine.next(after: status([5, 0]), at: now, random: 0) else {
            Issue.record("the list waits")
            return
        }
        let due = now.advanced(byMilliseconds: 9000)
        #expect(report.failure == nil && report.waiting == 5 && report.nextTry == due)
        #expect(SyncProgress(report) == .waiting(until: due, queued: 5))
        #expect(machine.retryState.lists == state.lists && machine.retryState.nextTry == nil)
    }

    @Test func `a list's own wait grows with its failures, and ends when it is no longer busy`() {
        var state = RetryState()
        for (failures, wait) in [(1, 1), (2, 2), (3, 4)] {
            state.noteFailure(of: lists[0], retryAfter: nil, at: now, random: 0.999_999)
            #expect(state.lists?.count == 1 && state.lists?.first?.failures == failures)
            let milliseconds = (state.lists?.first?.nextTry.milliseconds ?? 0) - now.milliseconds
            #expect((wait * 1000 - 1...wait * 1000).contains(Int(milliseconds)))
        }
        var machine = SyncMachine()
        var status = deviceStatus([0])
        status.retryState = state
        let later = now.advanced(byMilliseconds: 10_000)
        _ = machine.next(after: .begun(.timer), at: later, random: 0)
        _ = machine.next(after: .deviceStatus(status), at: later, random: 0)
        _ = machine.next(after: .fetched(FetchOutcome(progressed: true), moreComing: false), at: later, random: 0)
        guard case .finish(let report) = machine.next(after: .deviceStatus(status), at: later, random: 0) else {
            Issue.record("nothing is left to do")
            return
        }
        #expect(report.nextTry == nil && machine.retryState.lists == nil)
    }

    @Test func `a list that is leaving the service is deleted there, and a refusal delays only that`() {
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.manual), at: now, random: 0)
        var status = deviceStatus([0])
        status.leaving = [lists[2]]
        #expect(machine.next(after: .deviceStatus(status), at: now, random: 0) == .delete(lists[2]))
        let busy = SyncMachine.Event.failed(.problem(Problem(.zoneBusy, retryAfter: 9)))
        #expect(machine.next(after: busy, at: now, random: 0) == .readStatus)
        guard case .fetch = machine.next(after: .deviceStatus(status), at: now, random: 0) else {
            Issue.record("the rest goes on")
            return
        }
        _ = machine.next(after: .fetched(FetchOutcome(progressed: true), moreComing: false), at: now, random: 0)
        guard case .finish(let report) = machine.next(after: .deviceStatus(status), at: now, random: 0) else {
            Issue.record("nothing is left to do now")
            return
        }
        #expect(report.nextTry == now.advanced(byMilliseconds: 9000) && report.failure?.code == .zoneBusy)
        #expect(machine.retryState.nextTry == nil, "the other lists don't wait")
        #expect(machine.retryState.lists?.map(\.list) == [lists[2]])
    }

    @Test func `a run that its caller stops is no failure of the service`() {
        var machine = uploading([5])
        _ = machine.next(after: .deviceStatus(deviceStatus([5])), at: now, random: 0)
        _ = machine.next(after: .uploaded(sent: 3, rejected: 0, held: 2), at: now, random: 0)
        _ = machine.next(after: .deviceStatus(deviceStatus([2])), at: now, random: 0)
        guard case .finish(let report) = machine.next(after: .stopped, at: now, random: 0) else {
            Issue.record("it stops")
            return
        }
        #expect(report.failure == .stopped && report.sent == 3 && report.waiting == 2 && report.nextTry == nil)
        #expect(machine.retryState.failures == 0 && machine.retryState.failingSince == nil)
        #expect(SyncProgress(report) == .queued(2))
    }

    @Test func `lists that the service can't reach are asked for again, and nothing is sent to them meanwhile`() {
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.push), at: now, random: 0)
        _ = machine.next(after: .deviceStatus(deviceStatus([0, 0])), at: now, random: 0)
        let fetched = SyncMachine.Event.fetched(
            FetchOutcome(news: 2, progressed: true), moreComing: false, unreachable: [lists[0]])
        #expect(machine.next(after: fetched, at: now, random: 0) == .readStatus)
        guard case .finish(let report) = machine.next(after: .deviceStatus(deviceStatus([1, 0])), at: now, random: 0)
        else {
            Issue.record("nothing is left to do just now")
            return
        }
        #expect(report.received == 2 && report.failure?.code == .zoneBusy)
        #expect(report.nextTry.map { $0 > now } == true)
    }

    @Test func `a list that can't be stored waits by itself, longer each time, and the others are fetched`() {
        var outcome = FetchOutcome()
        outcome.unstored = [lists[0]]
        let unstored = SyncMachine.Event.fetched(outcome, moreComing: true)
        var retryState = RetryState()
        var waits: [Int64] = []
        for _ in 1...3 {
            var machine = SyncMachine()
            _ = machine.next(after: .begun(.manual), at: now, random: 0.5)
            var status = deviceStatus([0, 0])
            status.retryState = retryState
            _ = machine.next(after: .deviceStatus(status), at: now, random: 0.5)
            #expect(machine.next(after: unstored, at: now, random: 0.5) == .readStatus)
            guard case .fetch = machine.next(after: .deviceStatus(status), at: now, random: 0.5) else {
                Issue.record("there are changes of the other list")
                return
            }
            let fetched = SyncMachine.Event.fetched(FetchOutcome(news: 2, progressed: true), moreComing: false)
            #expect(machine.next(after: fetched, at: now, random: 0.5) == .readStatus)
            guard case .finish(let report) = machine.next(after: .deviceStatus(status), at: now, random: 0.5) else {
                Issue.record("nothing is left to do")
                return
            }
            #expect(report.received == 2 && report.failure?.code == .zoneBusy)
            retryState = machine.retryState
            #expect(retryState.nextTry == nil && retryState.lists?.map(\.list) == [lists[0]])
            waits.append((report.nextTry ?? now).milliseconds - now.milliseconds)
        }
        #expect(waits == [500, 1000, 2000])
    }

    @Test func `a list that comes again and can't be stored again ends the run`() {
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.push), at: now, random: 0)
        _ = machine.next(after: .deviceStatus(deviceStatus([0])), at: now, random: 0)
        var outcome = FetchOutcome()
        outcome.unstored = [lists[0]]
        let unstored = SyncMachine.Event.fetched(outcome, moreComing: true)
        #expect(machine.next(after: unstored, at: now, random: 0) == .readStatus)
        _ = machine.next(after: .deviceStatus(deviceStatus([0])), at: now, random: 0)
        guard case .finish(let report) = machine.next(after: unstored, at: now, random: 0) else {
            Issue.record("it would ask for ever")
            return
        }
        #expect(report.outcome == .failed)
    }

    @Test func `a list that stays on the device alone is left alone`() {
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.push), at: now, random: 0)
        let local = DeviceStatus(lists: [DeviceStatus.List(id: lists[0], isPublished: false, isLocal: true, waiting: 5)]
        )
        #expect(machine.next(after: .deviceStatus(local), at: now, random: 0) == .fetch(tokens: [:], digests: false))
    }

    @Test func `an answer that goes in circles ends the run`() {
        var machine = SyncMachine()
        _ = machine.next(after: .begun(.push), at: now, random: 0)
        _ = machine.next(after: .deviceStatus(deviceStatus([0])), at: now, random: 0)
        guard
            case .finish(let report) = machine.next(
                after: .fetched(FetchOutcome(), moreComing: true), at: now, random: 0)
        else {
            Issue.record("it would ask for ever")
            return
        }
        #expect(report.outcome == .failed)
    }
}
