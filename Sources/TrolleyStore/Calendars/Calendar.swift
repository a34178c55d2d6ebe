package import TrolleyJournal
import TrolleyWire

/// A list as another program's calendar, without its items.
package struct CalendarHead: Sendable {
    package let list: ListID
    package let owner: AccountID
    package let role: Role
    package let permission: Permission
    package let head: SequenceNumber
    package let epoch: UUIDBits
    /// Items that vanished up to this sequence may be unknown.
    package let trailFrom: SequenceNumber
    package internal(set) var name: String?
    package internal(set) var colour: String?
    /// Whether the list's row has its name and colour; from before it had, only the fold has them.
    package let isTitleKnown: Bool
}

/// An item with what other programs ask of a calendar's item.
package struct CalendarItem: Sendable {
    package let item: Item
    /// The sequence of its last change: its version.
    package let sequence: SequenceNumber
    package let createdAt: Timestamp
    package let changedAt: Timestamp
    /// When it was marked off last; nil: never.
    package let markedOffAt: Timestamp?
    /// Ascends in list order.
    package let order: Int64

    /// About how many bytes it takes.
    var memory: Int {
        item.fields.reduce(256) { memory, field in
            let text =
                switch field.value {
                case .string(let text), .json(let text): text.utf8.count
                case .null: 0
                }
            return memory + 96 + field.key.utf8.count + text
        }
    }
}

/// A device's copy of an item.
package struct CalendarCopy: Sendable {
    package let item: Item
    /// Whether the device has moved the item since it read it.
    package let isMoved: Bool
}

/// A list with its items, from one snapshot, and the memory that it takes.
package struct ListCalendar: Sendable {
    package let head: CalendarHead
    /// In list order, also those that are marked off.
    package let items: [CalendarItem]
    /// The last deviceSequence of the device that asks.
    package let lastCounter: Int64
    let reservation: ReadReservation
}
