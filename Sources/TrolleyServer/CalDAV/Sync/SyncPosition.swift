import TrolleyJournal
import TrolleyStore

/// A place in a list's stream up to which a CalDAV client knows the changes: the meaning of a sync token (RFC 6578 §3.2).
///
/// An item's latest change decides where the item is told. So an item that changes while a client reads page after page is
/// told at its new place, and none is skipped.
struct SyncPosition: Hashable, Sendable {
    /// The client knows all up to here.
    let sequence: SequenceNumber
    /// Up to here the client needs no deletions: its first sync began here, and told only items that were there. Later than
    /// `sequence` in the pages of a first sync only.
    let floor: SequenceNumber
    /// Of the items told at the next sequence, the client knows those up to this one: a compression removes many items at one
    /// sequence, perhaps more than a page may have. nil: it knows none of them.
    let item: ItemID?

    init(_ sequence: SequenceNumber, floor: SequenceNumber = .start, item: ItemID? = nil) {
        self.sequence = sequence
        self.floor = max(floor, sequence)
        self.item = item
    }

    /// Whether the client knows a change of an item.
    func covers(_ item: ItemID, at sequence: SequenceNumber) -> Bool {
        if sequence <= self.sequence { return true }
        guard let last = self.item, sequence == self.sequence.advanced(by: 1) else { return false }
        return item <= last
    }
}

extension SyncPosition {
    /// - Returns: nil if the token isn't of this list and epoch, or if the list no longer knows what changed since.
    init?(_ text: String, on head: CalendarHead, key: ChangeToken.Key) {
        let prefix = CalendarProperties.tokenPrefix
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let token = ChangeToken(String(parts[0]), list: head.list, key: key),
            token.epoch == head.epoch.high, token.floor <= head.head, token.floor >= head.trailFrom
        else { return nil }
        var item: ItemID?
        if parts.count == 2 {
            // The token's code doesn't cover the item. A forged one harms only the client that sends it.
            guard let id = ItemID(String(parts[1])) else { return nil }
            item = id
        }
        self.init(token.sequence, floor: token.floor, item: item)
    }

    func token(on list: ListID, _ epoch: UUIDBits, _ key: ChangeToken.Key) -> String {
        let token = ChangeToken(list: list, epoch: epoch, sequence: sequence, floor: floor).text(key: key)
        return CalendarProperties.tokenPrefix + token + (item.map { ":\($0)" } ?? "")
    }
}
