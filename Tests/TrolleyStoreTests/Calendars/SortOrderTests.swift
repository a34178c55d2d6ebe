import Testing
import TrolleyJournal

@testable import TrolleyStore

@Suite("Numbers in list order", .timeLimit(.minutes(20)))
struct SortOrderTests {
    private static func item(_ number: UInt64) -> ItemID { ItemID(UUIDBits(high: 1, low: number)) }

    /// - Parameter entries: each with its item, its anchor, and when it was made.
    private static func journal(
        _ entries: [(operation: TrolleyJournal.Operation, item: UInt64, after: UInt64?, madeAt: Int64)]
    ) -> [ConfirmedEntry] {
        entries.enumerated().map { index, each in
            let number = Int64(index + 1)
            return ConfirmedEntry(
                entry: JournalEntry(
                    id: EntryID(UUIDBits(high: 2, low: UInt64(index))), operation: each.operation,
                    item: item(each.item), after: each.after.map { item($0) }, deviceSequence: number),
                sequence: SequenceNumber(rawValue: number), author: AccountID(UUIDBits(high: 3, low: 1)),
                device: DeviceID(UUIDBits(high: 4, low: 1)), madeAt: Timestamp(milliseconds: each.madeAt),
                receivedAt: Timestamp(milliseconds: 1_000_000 + number))
        }
    }

    @Test("an entry that doesn't place its item in the list doesn't change its number")
    func unplaced() {
        for journal in [
            // A move to the item's own place is no placing: the next one, which was made before it, counts.
            Self.journal([(.add, 1, nil, 10), (.add, 2, 1, 10), (.move, 1, 1, 50), (.move, 1, 2, 30)]),
            // A move of an item that nobody has added yet.
            Self.journal([(.add, 1, nil, 10), (.move, 2, nil, 50), (.add, 2, 1, 20), (.add, 3, 1, 30)]),
        ] {
            var order = SortOrder()
            for entry in journal { order.apply(entry) }
            let numbers = ListState(folding: journal).items.compactMap { order.number(of: $0.id) }
            #expect(numbers.count >= 2 && numbers == numbers.sorted())
        }
    }
}
