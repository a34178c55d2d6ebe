import HTTPTypes
import TrolleyJournal
import TrolleyStore

/// What one sync-collection tells: the changes after a position, in the order of the list's stream, as many as the client wants.
struct SyncPage: Sendable {
    struct Change: Sendable {
        let item: ItemID
        /// Of the item's latest change.
        let sequence: SequenceNumber
        /// nil: the item is gone.
        let task: CalendarItem?
    }

    let changes: [Change]
    /// Up to here the changes go.
    let position: SyncPosition
    /// Whether there are more changes.
    let isTruncated: Bool

    /// - Parameters:
    ///   - calendar: the list.
    ///   - changed: the items that changed or vanished after the position's floor, with the sequences of their latest
    ///     changes. Read after the list, so that nothing that vanished before is left out.
    ///   - limit: the most changes; nil: all.
    /// - Throws: if there are changes, and the client wants none.
    init(
        of calendar: ListCalendar, changed: [ItemID: SequenceNumber], after position: SyncPosition, limit: Int?
    ) throws(CalendarError) {
        let head = calendar.head.head
        // Later changes belong to the next sync.
        let changed = changed.filter { $0.value <= head }
        let shown = Set(calendar.items.map(\.item.id))
        var all = calendar.items.map { task in
            let id = task.item.id
            return Change(item: id, sequence: max(task.sequence, changed[id] ?? .start), task: task)
        }
        for (id, sequence) in changed where !shown.contains(id) {
            all.append(Change(item: id, sequence: sequence, task: nil))
        }
        all = all.filter { !position.covers($0.item, at: $0.sequence) }
        all.sort { ($0.sequence, $0.item) < ($1.sequence, $1.item) }
        guard let limit, limit < all.count else {
            changes = all
            self.position = SyncPosition(head)
            isTruncated = false
            return
        }
        guard limit > 0 else { throw .tooFewMatches(all.count) }
        let (last, next) = (all[limit - 1], all[limit])
        changes = Array(all.prefix(limit))
        self.position =
            next.sequence > last.sequence
            ? SyncPosition(last.sequence, floor: position.floor)
            : SyncPosition(last.sequence.advanced(by: -1), floor: position.floor, item: last.item)
        isTruncated = true
    }
}

extension CalendarError {
    /// The list can't be told in as few results (RFC 6578 §3.7).
    fileprivate static func tooFewMatches(_ count: Int) -> CalendarError {
        CalendarError(
            .insufficientStorage, .dav("number-of-matches-within-limits"),
            "there are \(count) changes; allow at least 1 result")
    }
}
