public import TrolleyJournal
public import TrolleyWire

/// The net effect of several changes of a list's stream, for stores that write many rows at once.
///
/// It is the same as applying the changes one by one in their order.
public struct NetChanges: Hashable, Sendable {
    /// Entries that exist afterwards, by ascending sequence.
    public var entries: [ConfirmedEntry] { latest.values.sorted { $0.sequence < $1.sequence } }
    /// Entries that don't exist afterwards, even if they did before.
    public private(set) var discarded: Set<EntryID> = []
    /// New anchors of entries that came earlier.
    public private(set) var anchors: [EntryID: ItemID?] = [:]
    /// The new state of the share; nil when it did not change.
    public private(set) var share: ShareState?
    /// The sequence of the last change; nil when there is none.
    public private(set) var last: SequenceNumber?
    private var latest: [EntryID: ConfirmedEntry] = [:]

    public init(_ changes: some Swift.Sequence<Change>) {
        for change in changes {
            last = max(last ?? change.sequence, change.sequence)
            switch change.body {
            case .entry(let entry):
                latest[entry.entry.id] = entry
                discarded.remove(entry.entry.id)
                anchors.removeValue(forKey: entry.entry.id)
            case .share(let share): self.share = share
            case .discard(let ids, let anchors):
                for id in ids {
                    latest[id] = nil
                    self.anchors.removeValue(forKey: id)
                    discarded.insert(id)
                }
                for (id, after) in anchors { anchor(id, to: after) }
            }
        }
    }

    private mutating func anchor(_ id: EntryID, to after: ItemID?) {
        if latest[id] != nil {
            latest[id]?.entry.after = after
        } else if !discarded.contains(id) {
            anchors.updateValue(after, forKey: id)
        }
    }
}
