import Testing
import TrolleyJournal

@testable import TrolleyServer

@Suite("The heads that a device knows", .timeLimit(.minutes(20)))
struct KnownHeadsTests {
    private let lists = (0..<20).map { _ in ListID.random() }

    private func head(_ number: Int) -> SequenceNumber { SequenceNumber(rawValue: Int64(number)) }

    @Test("the same heads have the same id, on whatever way they were reached")
    func ways() {
        var (straight, roundabout) = (KnownHeads(), KnownHeads())
        for (number, list) in lists.enumerated() { straight[list] = head(number) }
        let gone = ListID.random()
        roundabout[gone] = head(7)
        for (number, list) in lists.enumerated().reversed() {
            roundabout[list] = head(number + 3)
            roundabout[list] = head(number)
        }
        #expect(straight.eventID != roundabout.eventID)
        roundabout[gone] = nil
        #expect(straight.eventID == roundabout.eventID && straight.eventID.count == 22)
        #expect(KnownHeads().eventID != straight.eventID)
    }

    @Test("another head, another list and two heads exchanged have another id")
    func differences() {
        var heads = KnownHeads()
        (heads[lists[0]], heads[lists[1]]) = (head(1), head(2))
        var others = [heads, heads, heads]
        others[0][lists[0]] = head(3)
        (others[1][lists[0]], others[1][lists[1]]) = (head(2), head(1))
        (others[2][lists[1]], others[2][lists[2]]) = (nil, head(2))
        #expect(Set([heads.eventID] + others.map(\.eventID)).count == 4)
    }
}
