import TrolleyJournal

/// A list's fold with its items' versions and numbers. Takes the list's live entries in the order of their sequences.
struct CalendarReading: Sendable {
    private(set) var fold = ListFold()
    private(set) var order = SortOrder()
    /// The last entry.
    private(set) var last: ConfirmedEntry?
    private var counters: [DeviceID: DeviceCounter] = [:]
    private var times: [ItemID: Times] = [:]

    private struct Times {
        var sequence: SequenceNumber
        var createdAt: Timestamp
        var changedAt: Timestamp
        var markedOffAt: Timestamp?

        static let bytes = 128

        init(_ entry: ConfirmedEntry) {
            sequence = entry.sequence
            createdAt = entry.madeAt
            changedAt = entry.receivedAt
        }

        mutating func note(_ entry: ConfirmedEntry) {
            sequence = max(sequence, entry.sequence)
            createdAt = min(createdAt, entry.madeAt)
            changedAt = max(changedAt, entry.receivedAt)
            if entry.entry.operation == .markOff { markedOffAt = max(markedOffAt ?? entry.madeAt, entry.madeAt) }
        }
    }

    /// Folds the next entry.
    /// - Returns: the most memory that this takes, without the bytes of the entry's fields.
    mutating func take(_ entry: ConfirmedEntry) -> Int {
        var memory = fold.take(entry)
        last = entry
        counters[entry.device, default: DeviceCounter(device: entry.device)].note(entry)
        guard entry.entry.operation.concernsItem, let item = entry.entry.item else { return memory }
        order.apply(entry)
        if times[item] == nil { memory += Times.bytes + SortOrder.bytesOfItem }
        times[item, default: Times(entry)].note(entry)
        return memory
    }

    /// The last deviceSequence of a device among the entries.
    func counter(of device: DeviceID?) -> DeviceCounter {
        device.flatMap { counters[$0] } ?? DeviceCounter(device: device)
    }

    /// The items that the list shows, in order.
    var items: [CalendarItem] { fold.items.compactMap { calendarItem($0) } }

    /// An item that the list shows.
    func item(_ id: ItemID) -> CalendarItem? { fold.item(id).flatMap { calendarItem($0) } }

    private func calendarItem(_ item: Item) -> CalendarItem? {
        guard let known = times[item.id] else { return nil }
        return CalendarItem(
            item: item, sequence: known.sequence, createdAt: known.createdAt, changedAt: known.changedAt,
            markedOffAt: known.markedOffAt, order: order.number(of: item.id) ?? 0)
    }
}
