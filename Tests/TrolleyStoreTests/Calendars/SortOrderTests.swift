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

    /// The numbers of items that are added one after the other at places by their own numbers, in list order.
    private static func numbers(ofItemsAddedWith wanted: [Int64?], madeAt: Int64) -> [Int64] {
        var order = SortOrder()
        var journal: [ConfirmedEntry] = []
        for (index, number) in wanted.enumerated() {
            let shown = ListState(folding: journal).items
            let above = shown.last { shown in
                (order.number(of: shown.id) ?? .max) <= number ?? .max
            }
            let fields: Fields = if let number { [CalendarField.order: .string("\(number)")] } else { [:] }
            let sequence = Int64(index + 1)
            let entry = ConfirmedEntry(
                entry: JournalEntry(
                    id: EntryID(UUIDBits(high: 2, low: UInt64(index))), operation: .add, item: item(UInt64(index)),
                    after: above?.id, fields: fields, deviceSequence: sequence),
                sequence: SequenceNumber(rawValue: sequence), author: AccountID(UUIDBits(high: 3, low: 1)),
                device: DeviceID(UUIDBits(high: 4, low: 1)), madeAt: Timestamp(milliseconds: madeAt),
                receivedAt: Timestamp(milliseconds: madeAt))
            journal.append(entry)
            order.apply(entry)
        }
        return ListState(folding: journal).items.compactMap { order.number(of: $0.id) }
    }

    @Test("new items keep numbers of a program's own where these fit, so the next one stands where its number says")
    func wanted() {
        // 2026-01-01, in milliseconds since 1970 and in seconds since 2001.
        let (madeAt, now) = (1_767_225_600_000 as Int64, 788_918_400 as Int64)
        let (earlier, minuteAgo, next, later) = (now - 1024, now - 60, now + 1, now + 500)
        let cases: [(wanted: [Int64?], numbers: [Int64])] = [
            ([1, 2, 3], [1, 2, 3]), ([3, 1, 2], [1, 2, 3]), ([-5, -7, 0], [-7, -5, 0]),
            // Above those that were placed by the service, and a phone's next one below them.
            ([nil, 1, 2, now], [1, 2, now, next]), ([nil, 5, minuteAgo], [5, minuteAgo, now]),
            // A neighbour's number, one of the future, and one that is too large or too small: the service gives its own.
            ([1, 1], [1, now]), ([later, now], [now, next]), ([Int64.max, nil], [now, next]),
            ([nil, Int64.min], [earlier, now]),
        ]
        for (wanted, numbers) in cases {
            #expect(Self.numbers(ofItemsAddedWith: wanted, madeAt: madeAt) == numbers, "\(wanted)")
        }
    }
}
