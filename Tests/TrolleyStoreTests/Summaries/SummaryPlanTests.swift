import Testing
import TrolleyJournal
import TrolleyWire

@testable import TrolleyStore

@Suite("Planning summaries", .timeLimit(.minutes(20)))
struct SummaryPlanTests {
    private let alice = AccountID.sample(1)
    private let bob = AccountID.sample(2)
    private let carol = AccountID.sample(3)

    private func session(_ account: AccountID, _ range: ClosedRange<Int64>, lastAt seconds: Int64)
        -> SummaryPlan.Session
    {
        SummaryPlan.Session(
            account: account, first: SequenceNumber(rawValue: range.lowerBound), lastChangeAt: time(seconds),
            last: SequenceNumber(rawValue: range.upperBound))
    }

    private func person(
        _ account: AccountID, _ level: NotificationLevel = .summaries, notified: Int64? = nil, read: Int64? = nil,
        presentUntil: Int64? = nil, joinedAt: Int64 = 0
    ) -> SummaryPlan.Person {
        SummaryPlan.Person(
            account: account, joinedAt: time(joinedAt), level: level,
            notified: notified.map(SequenceNumber.init(rawValue:)), read: read.map(SequenceNumber.init(rawValue:)),
            presentUntil: presentUntil.map(time))
    }

    private func time(_ seconds: Int64) -> Timestamp { Timestamp(milliseconds: seconds * 1000) }

    private func plan(
        _ sessions: [SummaryPlan.Session], _ people: [SummaryPlan.Person], head: Int64 = 20, at seconds: Int64
    ) -> SummaryPlan {
        SummaryPlan(
            sessions: sessions, people: people, head: SequenceNumber(rawValue: head), now: time(seconds))
    }

    /// An added item for each sequence.
    private func adds(_ range: ClosedRange<Int64>, by author: AccountID, at seconds: Int64 = 10) -> [SummaryPlan.Change]
    {
        range.map {
            SummaryPlan.Change(
                sequence: SequenceNumber(rawValue: $0), receivedAt: time(seconds), author: author, operation: .add,
                item: .sample(Int($0)))
        }
    }

    @Test("a session ends after two minutes of silence, whether or not its person has the list open")
    func silence() {
        for until in [nil, 5000] as [Int64?] {
            let people = [person(alice), person(bob, presentUntil: until)]
            #expect(plan([session(bob, 3...5, lastAt: 100)], people, at: 219).ended == [])
            #expect(plan([session(bob, 3...5, lastAt: 100)], people, at: 219).nextLook == time(220))
            #expect(plan([session(bob, 3...5, lastAt: 100)], people, at: 220).ended.map(\.account) == [bob])
        }
    }

    @Test("a session ends when its person's presence has ended after the last change, and not before")
    func presence() {
        let people = [person(alice), person(bob, presentUntil: 130)]
        let open = plan([session(bob, 3...5, lastAt: 100)], people, at: 129)
        #expect(open.ended == [] && open.nextLook == time(130) && open.summarizedThrough.rawValue == 2)
        let ended = plan([session(bob, 3...5, lastAt: 100)], people, at: 130)
        #expect(ended.ended.map(\.last.rawValue) == [5] && ended.nextLook == nil)
        #expect(ended.summarizedThrough.rawValue == 20)
        // The presence of an earlier visit says nothing.
        #expect(plan([session(bob, 3...5, lastAt: 131)], people, at: 140).ended == [])
    }

    @Test("while another person has the list open and hasn't read the changes, the end waits for a second")
    func grace() {
        func ended(alicesRead read: Int64, presentUntil until: Int64, at seconds: Int64) -> Int {
            let people = [person(alice, read: read, presentUntil: until), person(bob, presentUntil: 130)]
            return plan([session(bob, 3...5, lastAt: 100)], people, at: seconds).ended.count
        }
        #expect(ended(alicesRead: 2, presentUntil: 500, at: 130) == 0)
        #expect(ended(alicesRead: 2, presentUntil: 500, at: 131) == 1)
        #expect(ended(alicesRead: 5, presentUntil: 500, at: 130) == 1)
        #expect(ended(alicesRead: 2, presentUntil: 120, at: 130) == 1)
    }

    @Test("a lease that is still valid hides nothing: only the read mark says what a person has read")
    func lease() {
        let people = [person(alice, read: 2, presentUntil: 5000), person(bob, presentUntil: 130)]
        let plan = plan([session(bob, 3...5, lastAt: 100)], people, at: 131)
        #expect(plan.summaries(of: adds(3...5, by: bob)).map(\.recipient) == [alice])
    }

    @Test("a summary begins after both what was read and what was summarized before; without either, with the session")
    func window() {
        func after(notified: Int64?, read: Int64?) -> Int64? {
            let plan = plan(
                [session(bob, 8...12, lastAt: 100)], [person(alice, notified: notified, read: read), person(bob)],
                at: 500)
            #expect(plan.changesAfter?.rawValue == plan.summaries(of: adds(1...12, by: bob)).first?.after.rawValue)
            return plan.changesAfter?.rawValue
        }
        #expect(after(notified: nil, read: nil) == 7)
        #expect(after(notified: 4, read: nil) == 4)
        #expect(after(notified: 4, read: 6) == 6)
        #expect(after(notified: 9, read: 6) == 9)
    }

    @Test("a person is not told of their own changes, nor because of their own session, nor what they have read")
    func recipients() {
        let people = [person(alice, read: 2), person(bob, read: 2), person(carol, read: 12)]
        let plan = plan([session(bob, 3...12, lastAt: 100)], people, at: 500)
        let changes = adds(3...5, by: bob) + adds(6...9, by: alice) + adds(10...12, by: carol)
        let summaries = plan.summaries(of: changes)
        #expect(summaries.map(\.recipient) == [alice], "Bob ended it, and Carol has read everything")
        #expect(summaries[0].people.map(\.account) == [bob, carol])
        #expect(summaries[0].people.map(\.added) == [3, 3])
    }

    @Test("when two sessions end, each of the two people is told of the other's")
    func two() {
        let people = [person(alice), person(bob), person(carol, .nothing)]
        let plan = plan(
            [session(alice, 3...5, lastAt: 100), session(bob, 6...7, lastAt: 90)], people, at: 500)
        let summaries = plan.summaries(of: adds(3...5, by: alice) + adds(6...7, by: bob))
        #expect(summaries.map(\.recipient) == [alice, bob])
        #expect(summaries.map { $0.people.map(\.account) } == [[bob], [alice]])
        #expect(summaries.map { $0.people.map(\.added) } == [[2], [3]])
    }

    @Test("changes from before a person joined, and changes that were taken back, are no summary")
    func nothing() {
        let plan = plan([session(bob, 3...5, lastAt: 100)], [person(alice, joinedAt: 50), person(bob)], at: 500)
        #expect(plan.summaries(of: adds(3...5, by: bob, at: 49)) == [])
        #expect(plan.summaries(of: adds(3...5, by: bob, at: 50)).count == 1)
        let takenBack = adds(3...3, by: bob, at: 60).flatMap { add in
            var delete = add
            delete.sequence = SequenceNumber(rawValue: 4)
            delete.operation = .delete
            return [add, delete]
        }
        #expect(plan.summaries(of: takenBack) == [])
    }

    @Test("written messages count until somebody deletes them; reactions and pins are no summary")
    func messages() {
        let plan = plan([session(bob, 3...9, lastAt: 100)], [person(alice), person(bob)], at: 500)
        func change(_ sequence: Int64, _ operation: Operation, _ message: Int, by author: AccountID? = nil)
            -> SummaryPlan.Change
        {
            SummaryPlan.Change(
                sequence: SequenceNumber(rawValue: sequence), receivedAt: time(60), author: author ?? bob,
                operation: operation, message: .sample(message))
        }
        let written = [change(3, .message, 1), change(4, .message, 2)]
        #expect(plan.summaries(of: written).map { $0.people.map(\.messages) } == [[2]])
        // The reader's own deletion counts, too: there is nothing left to read.
        let (own, alices) = (change(5, .deleteMessage, 1), change(6, .deleteMessage, 2, by: alice))
        #expect(plan.summaries(of: written + [own]).map { $0.people.map(\.messages) } == [[1]])
        #expect(plan.summaries(of: written + [own, alices]) == [])
        #expect(plan.summaries(of: [change(3, .react, 7), change(4, .unpin, 7), change(5, .deleteMessage, 7)]) == [])
    }

    @Test("a session that goes on keeps its changes open")
    func open() {
        let plan = plan(
            [session(alice, 4...9, lastAt: 490), session(bob, 3...5, lastAt: 100)], [person(alice), person(bob)],
            at: 500)
        #expect(plan.ended.map(\.account) == [bob])
        #expect(plan.summarizedThrough.rawValue == 3 && plan.nextLook == time(610))
    }
}

extension Identifier {
    fileprivate static func sample(_ number: Int) -> Self {
        Self(UUIDBits(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(number)))
    }
}
