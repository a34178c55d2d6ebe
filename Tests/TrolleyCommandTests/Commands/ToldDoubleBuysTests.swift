import Testing
import TrolleyJournal
import TrolleySync

@testable import trolley

@Suite(.timeLimit(.minutes(20))) struct ToldDoubleBuysTests {
    private let milk: ItemID = StubService.id(1)
    private let ann: AccountID = StubService.id(2)
    private let bob: AccountID = StubService.id(3)
    private let cem: AccountID = StubService.id(4)

    /// The double buys of marks that follow each other.
    private func found(_ people: AccountID...) -> [DoubleBuy] {
        let start = Timestamp(milliseconds: 1_800_000_000_000)
        return DoubleBuy.found(
            in: people.enumerated().map { index, person in
                ConfirmedEntry(
                    entry: JournalEntry(
                        id: StubService.id(UInt64(10 + index)), operation: .markOff, item: milk, deviceSequence: 1),
                    sequence: SequenceNumber(rawValue: Int64(index + 1)), author: person, device: StubService.id(9),
                    madeAt: start.advanced(byMilliseconds: Int64(index)), receivedAt: start)
            })
    }

    @Test func `what comes while it lasts is told once, to both`() {
        for (me, other) in [(ann, bob), (bob, ann)] {
            var told = ToldDoubleBuys()
            let before = told.news(in: found(ann), for: me)
            let news = told.news(in: found(ann, bob), for: me)
            let again = told.news(in: found(ann, bob), for: me)
            #expect(before == nil && again == nil)
            #expect(news?.item == milk && news?.account == other)
        }
    }

    @Test func `what was there before, and what concerns others, is not told`() {
        var told = ToldDoubleBuys()
        #expect(!told.hasLooked)
        let before = told.news(in: found(ann, bob), for: ann)
        #expect(before == nil && told.hasLooked)
        // Bob's and Cem's marks.
        let others = told.news(in: found(ann, bob, cem), for: ann)
        #expect(others == nil)
        var alone = ToldDoubleBuys()
        let nobodys = [alone.news(in: [], for: nil), alone.news(in: found(ann, bob), for: nil)].compactMap(\.self)
        #expect(nobodys.isEmpty)
    }
}
