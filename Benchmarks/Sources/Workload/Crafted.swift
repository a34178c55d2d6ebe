public import TrolleyJournal

/// Journals that were crafted to be as expensive as possible.
public struct Crafted {
    /// In stream order.
    public private(set) var entries: [ConfirmedEntry] = []
    private let account = AccountID(UUIDBits(high: 1, low: 1))
    private let device = DeviceID(UUIDBits(high: 2, low: 1))

    /// The cut-off before which all of it was received.
    public static let cutOff = Timestamp(milliseconds: 1_800_000_000_000)

    private init() {}

    /// Finished items in one long run, and behind its end as many that stay: each needs a new anchor, from above the run.
    /// - Parameter count: entries, a quarter of which stay.
    public static func run(of count: Int) -> [ConfirmedEntry] {
        var crafted = Crafted()
        let items = count / 4
        for number in 0..<items { crafted.append(.add, number, after: number == 0 ? nil : number - 1) }
        for number in 0..<items { crafted.append(.add, items + number, after: items - 1) }
        for number in 0..<items { crafted.append(.delete, number) }
        return crafted.entries
    }

    /// The same with the run turned round afterwards: the steps of a compression, which go from the top down, then come past each
    /// anchor in the order that takes the most new ones.
    /// - Parameter count: entries, a fifth of which stay.
    public static func turnedRun(of count: Int) -> [ConfirmedEntry] {
        var crafted = Crafted()
        let items = count / 5
        for number in 0..<items { crafted.append(.add, number, after: number == 0 ? nil : number - 1) }
        for number in 0..<items { crafted.append(.add, items + number, after: items - 1) }
        for number in 0..<items { crafted.append(.move, number, after: nil) }
        for number in 0..<items { crafted.append(.delete, number) }
        return crafted.entries
    }

    /// Changes to the items of ``run(of:)`` after all of it was compressed: every other wants a finished item again, the others
    /// stand behind the end of the run.
    /// - Parameters:
    ///   - count: of the changes.
    ///   - run: how many entries the run had.
    public static func changes(_ count: Int, to run: Int) -> [ConfirmedEntry] {
        var crafted = Crafted()
        for number in 0..<count {
            if number.isMultiple(of: 2) {
                crafted.append(.edit, number * (run / 4 - 1) / count, place: run + number)
            } else {
                crafted.append(.add, run + number, after: run / 4 - 1, place: run + number)
            }
        }
        return crafted.entries
    }

    /// A message, and one person's reactions to it, each with a text of its own.
    /// - Parameter count: of the reactions.
    public static func reactions(_ count: Int) -> [ConfirmedEntry] {
        var crafted = Crafted()
        crafted.append(.message, fields: [Fields.text: "hello"])
        guard let message = crafted.entries.first?.entry.id.description else { return [] }
        for number in 0..<count {
            crafted.append(
                .react, fields: [Fields.message: .string(message), Fields.text: .string("reaction \(number)")])
        }
        return crafted.entries
    }

    private mutating func append(_ operation: Operation, fields: Fields) {
        append(operation, 0)
        entries[entries.count - 1].entry.item = nil
        entries[entries.count - 1].entry.fields = fields
    }

    private mutating func append(_ operation: Operation, _ item: Int, after: Int? = nil, place: Int? = nil) {
        let place = (place ?? entries.count) + 1
        let time = Timestamp(milliseconds: 1_700_000_000_000 + Int64(place))
        entries.append(
            ConfirmedEntry(
                entry: JournalEntry(
                    id: EntryID(UUIDBits(high: 3, low: UInt64(place))), operation: operation,
                    item: Crafted.item(item), after: after.map { Crafted.item($0) }, deviceSequence: Int64(place)),
                sequence: SequenceNumber(rawValue: Int64(place)), author: account, device: device, madeAt: time,
                receivedAt: time))
    }

    private static func item(_ number: Int) -> ItemID { ItemID(UUIDBits(high: 4, low: UInt64(number))) }
}
