import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Planning alerts", .timeLimit(.minutes(20)))
struct AlertPlanTests {
    private let alice = AccountID(UUIDBits(high: 1, low: 1))
    private let bob = AccountID(UUIDBits(high: 1, low: 2))
    private let carol = AccountID(UUIDBits(high: 1, low: 3))

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    private func sequence(_ number: Int64) -> SequenceNumber { SequenceNumber(rawValue: number) }

    /// Alice wants to be told of everything.
    private func alice(
        read: Int64? = nil, notified: Int64? = nil, alerted: Int64? = nil, presentUntil: Int64? = nil,
        _ level: NotificationLevel = .all
    ) -> SummaryPlan.Person {
        SummaryPlan.Person(
            account: alice, joinedAt: time(0), level: level, notified: notified.map(sequence), read: read.map(sequence),
            presentUntil: presentUntil.map(time), alerted: alerted.map(sequence))
    }

    private func change(_ number: Int64, _ operation: Operation, at seconds: Int64 = 100, item: UInt64 = 1)
        -> SummaryPlan.Change
    {
        SummaryPlan.Change(
            sequence: sequence(number), receivedAt: time(seconds), author: bob, operation: operation,
            item: operation == .message ? nil : ItemID(UUIDBits(high: 7, low: item)),
            message: operation == .message ? EntryID(UUIDBits(high: 8, low: UInt64(number))) : nil)
    }

    /// Bob's session with these changes goes on.
    private func outcome(
        _ changes: [SummaryPlan.Change], for people: [SummaryPlan.Person], at seconds: Int64 = 101,
        alertsFrom: Int64? = 0, isOver: Bool = false
    ) -> SummaryPlan.Outcome {
        let session = SummaryPlan.Session(
            account: bob, first: changes[0].sequence,
            lastChangeAt: isOver ? time(-1000) : changes[changes.count - 1].receivedAt,
            last: changes[changes.count - 1].sequence)
        let bob = SummaryPlan.Person(account: bob, joinedAt: time(0), level: .all)
        let plan = SummaryPlan(
            sessions: [session], people: people + [bob], head: session.last, now: time(seconds),
            alertsFrom: alertsFrom.map(time))
        guard let after = plan.changesAfter else { return SummaryPlan.Outcome() }
        return plan.outcome(of: changes.filter { $0.sequence > after })
    }

    @Test("a message and an added item are told a second later, to the others who want everything, never to the author")
    func alerts() {
        for operation in [Operation.message, .add, .unmark] {
            let early = outcome([change(3, operation)], for: [alice()], at: 100)
            #expect(early.isEmpty && early.nextAlert == time(101), "\(operation)")
            let due = outcome([change(3, operation)], for: [alice()])
            #expect(due.alerts.map(\.recipient) == [alice] && due.summaries.isEmpty, "\(operation)")
        }
        for level in [NotificationLevel.summaries, .nothing] {
            #expect(outcome([change(3, .message)], for: [alice(level)]) == SummaryPlan.Outcome())
        }
    }

    @Test("marks, edits, moves and deletions wait for the summary, and so does what was taken back")
    func others() {
        for operation in [Operation.markOff, .edit, .move, .delete, .react, .pin] {
            #expect(outcome([change(3, operation)], for: [alice()]) == SummaryPlan.Outcome(), "\(operation)")
        }
        #expect(outcome([change(3, .add), change(4, .delete)], for: [alice()]).isEmpty)
    }

    @Test("who has read it is told nothing, and nobody is told twice")
    func known() {
        for person in [alice(read: 3), alice(notified: 3), alice(alerted: 3)] {
            #expect(outcome([change(3, .message)], for: [person]) == SummaryPlan.Outcome())
        }
        let alerts = outcome([change(3, .message), change(4, .add)], for: [alice(alerted: 3)]).alerts
        #expect(
            alerts.map { $0.people.map(\.messages) } == [[1]], "it takes the place of the first, and says all of it")
        #expect(alerts.map { $0.people.map(\.added) } == [[1]])
    }

    @Test("while a person has the list open they are told nothing; a lease that outlasts them hides nothing")
    func presence() {
        let open = outcome([change(3, .message)], for: [alice(presentUntil: 150)], at: 140)
        #expect(open.isEmpty && open.nextAlert == time(151))
        #expect(outcome([change(3, .message)], for: [alice(presentUntil: 150)], at: 151).alerts.count == 1)
        #expect(outcome([change(3, .message)], for: [alice(read: 3, presentUntil: 150)], at: 151).isEmpty)
    }

    @Test("a burst is one alert: the next one comes when the pause is over")
    func pause() {
        let early = outcome([change(3, .message)], for: [alice()], at: 105, alertsFrom: 110)
        #expect(early.isEmpty && early.nextAlert == time(110))
        #expect(outcome([change(3, .message)], for: [alice()], at: 110, alertsFrom: 110).alerts.count == 1)
    }

    @Test("a summary of what alerts have told makes no notice in browsers; one with more does")
    func summaries() {
        func isKnown(_ changes: [SummaryPlan.Change], alerted: Int64?) -> [Bool] {
            let outcome = outcome(changes, for: [alice(alerted: alerted)], isOver: true)
            #expect(outcome.alerts.isEmpty)
            return outcome.summaries.map(\.isKnown)
        }
        #expect(isKnown([change(3, .message)], alerted: 3) == [true])
        #expect(isKnown([change(3, .message)], alerted: nil) == [false])
        #expect(isKnown([change(3, .add), change(4, .markOff, item: 2)], alerted: 3) == [false])
        #expect(isKnown([change(3, .message), change(4, .react)], alerted: 3) == [true])
    }
}
