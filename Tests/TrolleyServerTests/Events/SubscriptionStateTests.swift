import Testing
import TrolleyJournal

@testable import TrolleyServer
@testable import TrolleyStore

@Suite("What a stream knows and is told", .timeLimit(.minutes(20)))
struct SubscriptionStateTests {
    private let device = DeviceID.random()
    private let writer = DeviceID.random()
    private let list = ListID.random()
    private let start = ContinuousClock.now

    private func stream() -> Stream { Stream(SubscriptionState(account: .random(), device: device)) }

    private func head(_ number: Int64) -> SequenceNumber { SequenceNumber(rawValue: number) }

    private func heads(_ number: Int64) -> [ListID: ListHead] { [list: ListHead(sequence: head(number))] }

    private func appended(_ number: Int64, by author: DeviceID, to list: ListID? = nil) -> StreamNote {
        let event = StreamNote.Event.appended(from: head(number - 1), to: head(number), author: author)
        return StreamNote(list: list ?? self.list, event: event)
    }

    private func changed(_ number: Int64) -> StreamedHint {
        StreamedHint(name: "changed", list: list, sequence: head(number))
    }

    /// The event id of a stream that knows this head.
    private func eventID(at number: Int64) -> String {
        var known = KnownHeads()
        known[list] = head(number)
        return known.eventID
    }

    @Test("a change between registering a stream and reading the heads is a hint when the stream begins")
    func early() {
        let state = stream()
        #expect(state.apply(appended(8, by: writer), at: start) == .nothing)
        #expect(state.take().hints.isEmpty)
        let needsComparison = state.begin(at: heads(7), readAfter: start, lastEventID: eventID(at: 7))
        let (id, hints) = state.take()
        #expect(hints == [changed(8)] && id == eventID(at: 8) && !needsComparison)
    }

    @Test("an early change that the heads contain, or that the device made, is no hint", arguments: [false, true])
    func earlyKnown(isOwn: Bool) {
        let state = stream()
        _ = state.apply(appended(8, by: isOwn ? device : writer), at: start)
        let known: Int64 = isOwn ? 7 : 8
        _ = state.begin(at: heads(known), readAfter: start, lastEventID: eventID(at: known))
        let (id, hints) = state.take()
        #expect(hints.isEmpty && id == eventID(at: 8))
    }

    @Test("early hails, summaries, read marks and presence are told when the stream begins")
    func earlyOthers() {
        let state = stream()
        let events: [StreamNote.Event] = [
            .hailed, .summarized(through: head(3)), .read(through: head(3), isOwn: false), .presence([.random()]),
        ]
        for event in events { _ = state.apply(StreamNote(list: list, event: event), at: start) }
        // The presence in the heads may be newer than what was noted.
        #expect(state.begin(at: heads(3), readAfter: start, lastEventID: eventID(at: 3)))
        #expect(state.take().hints.map(\.name) == ["presence", "hail", "summary"])
    }

    @Test("of more early notes than fit, the device is told to sync")
    func manyEarly() {
        let state = stream()
        for number in 1...Int64(SubscriptionState.maxHints + 1) {
            _ = state.apply(appended(number, by: writer), at: start)
        }
        #expect(state.begin(at: heads(0), readAfter: start, lastEventID: eventID(at: 0)))
        #expect(state.take().hints.first == StreamedHint(name: "sync"))
    }

    @Test("a comparison with heads that were read before a change tells nothing older than that change")
    func olderHeads() {
        let state = stream()
        _ = state.begin(at: heads(5), readAfter: start, lastEventID: eventID(at: 5))
        #expect(state.apply(appended(6, by: writer), at: start + .seconds(2)) == .news)
        #expect(state.take().hints == [changed(6)])
        let author = ListAuthor(list: list, device: writer, newest: head(5))
        let isNews = state.compare(
            with: heads(5), readAfter: start + .seconds(1), changed: [list], authors: [author])
        #expect(!isNews && state.take().id == eventID(at: 6))
        #expect(state.apply(appended(7, by: writer), at: start + .seconds(3)) == .news)
        #expect(state.take().hints == [changed(7)])
    }

    @Test("what was noted after a comparison's heads were read is compared by the next one too")
    func touchedAfter() {
        let state = stream()
        let (ben, mark) = (AccountID.random(), head(5))
        _ = state.begin(at: heads(5), readAfter: start, lastEventID: eventID(at: 5))
        _ = state.apply(StreamNote(list: list, event: .presence([ben])), at: start + .seconds(2))
        let present = ListHead(
            sequence: mark, presenceFingerprint: ListHead.presenceFingerprint(of: .random(), among: [ben]))
        _ = state.compare(with: [list: present], readAfter: start + .seconds(1), changed: [], authors: [])
        #expect(state.take().hints.map(\.name) == ["presence"])
        // Ben had left again, and this process heard of it in the other order.
        #expect(state.compare(with: heads(5), readAfter: start + .seconds(3), changed: [], authors: []))
        #expect(state.take().hints.map(\.name) == ["presence"])
    }

    @Test("a comparison whose heads are older than the stream's is left out, and one before it begins is repeated")
    func comparedBefore() {
        let state = stream()
        let isNews = state.compare(with: heads(5), readAfter: start, changed: [list], authors: [])
        #expect(!isNews)
        #expect(state.begin(at: heads(7), readAfter: start + .seconds(1), lastEventID: eventID(at: 7)))
        // As if the person had joined the list between the two.
        #expect(!state.compare(with: [:], readAfter: start, changed: [list], authors: []))
        #expect(state.take().hints.isEmpty)
        #expect(state.compare(with: [:], readAfter: start + .seconds(2), changed: [], authors: []))
        #expect(state.take().hints.map(\.name) == ["gone"])
    }

    @Test("only a comparison tells of a list that the stream doesn't know")
    func unknownList() {
        let state = stream()
        _ = state.begin(at: heads(5), readAfter: start, lastEventID: eventID(at: 5))
        #expect(state.apply(appended(1, by: writer, to: .random()), at: start) == .unknownList)
    }
}

/// A state whose methods can be called within expectations.
private final class Stream {
    private var state: SubscriptionState

    init(_ state: SubscriptionState) { self.state = state }

    func begin(
        at heads: [ListID: ListHead], readAfter instant: ContinuousClock.Instant, lastEventID: String?
    ) -> Bool { state.begin(at: heads, readAfter: instant, lastEventID: lastEventID) }

    func apply(_ note: StreamNote, at now: ContinuousClock.Instant) -> StreamNote.Effect { state.apply(note, at: now) }

    func compare(
        with heads: [ListID: ListHead], readAfter instant: ContinuousClock.Instant, changed: Set<ListID>,
        authors: [ListAuthor]
    ) -> Bool { state.compare(with: heads, readAfter: instant, changed: changed, authors: authors).isNews }

    func take() -> (id: String, hints: [StreamedHint]) { state.take() }
}
