package import TrolleyJournal

/// The keys of an item's fields that say what another program calls it.
package enum CalendarField {
    /// The last part of its address.
    package static let name = "icalendarName"
    package static let uid = "icalendarUID"
    /// The number in the list's order with which the program has added it.
    package static let order = "icalendarOrder"
}

/// What a write of another program is about.
package struct CalendarWanted: Sendable {
    /// The last part of the address.
    let name: String
    /// nil: the item at the address is only looked up.
    let task: Task?

    /// A task that is written.
    package struct Task: Sendable {
        let uid: String
        /// The id of an item with this UID.
        package let item: ItemID
        /// Its number in the list's order; nil: it has none.
        let order: Int64?

        package init(uid: String, item: ItemID, order: Int64?) {
            self.uid = uid
            self.item = item
            self.order = order
        }
    }

    package init(named name: String, task: Task? = nil) {
        self.name = name
        self.task = task
    }
}

/// What a write needs to know of a list: the item that it is about, and the places around it.
package struct CalendarSpot: Sendable {
    /// Its name and colour may be unknown.
    package let head: CalendarHead
    /// The item at the address.
    package let present: CalendarItem?
    /// The item above it; nil: it is at the top.
    package let above: ItemID?
    /// The item after which the task belongs by its number, without the item itself; nil: it belongs at the top. A task
    /// without a number belongs at the bottom.
    package let place: ItemID?
    /// The item with the task's UID at another address. Only if there is none at the address.
    package let other: CalendarItem?
    /// The last deviceSequence of the device that asks.
    package let lastCounter: Int64

    init(
        _ wanted: CalendarWanted, on head: CalendarHead, _ reading: CalendarReading, _ index: CalendarIndex,
        lastCounter: Int64
    ) {
        let item = index.item(named: wanted.name)
        self.head = head
        self.lastCounter = lastCounter
        present = item.flatMap { reading.item($0) }
        above = item.flatMap { index.item(above: $0) }
        place = index.place(of: wanted.task?.order, without: item)
        let other = item == nil ? wanted.task.flatMap { index.item(withUID: $0.uid, or: $0.item) } : nil
        self.other = other.flatMap { reading.item($0) }
    }
}
