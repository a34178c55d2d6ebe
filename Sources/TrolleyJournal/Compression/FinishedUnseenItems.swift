/// Items in a device's to-apply queue that were added and finished before the person ever saw them, and that have no
/// recent entry (3 h). They never need to be shown.
///
/// Their entries stay in the journal, so that an `unmark` or an undo can bring such an item back whole. Only the shown
/// state leaves the items out, see ``ListFold/state(without:)``.
public struct FinishedUnseenItems: Hashable, Sendable {
    /// All entries about such items. Each of them waits to be applied.
    public private(set) var entries: Set<EntryID> = []
    /// The items that are marked off, with the entry that did it. Deleted items are not shown anyway.
    public private(set) var markedOff: [ItemID: EntryID] = [:]

    public init() {}

    /// - Parameters:
    ///   - waiting: entries that wait to be applied; either all or none of those about an item.
    ///   - cutOff: only items whose entries were all received before this time count.
    ///   - shown: the list as it is shown. The person has seen the items in it.
    public init(of waiting: [ConfirmedEntry], olderThan cutOff: Timestamp, over shown: ListFold) {
        let known = shown.list
        let compression = Compression(of: waiting, olderThan: cutOff) { entry in
            entry.entry.item.map { known.item($0) == nil } ?? false
        }
        for discard in compression.discarded where discard.why == .itemDeleted || discard.why == .itemMarkedOff {
            entries.insert(discard.id)
        }
        guard !entries.isEmpty else { return }
        var list = FoldedList()
        list.fold(waiting)
        for entry in waiting where entries.contains(entry.entry.id) {
            guard let item = entry.entry.item.flatMap({ list.item($0) }), item.isShown, item.isMarkedOff else {
                continue
            }
            markedOff[item.id] = item.markedOff?.by
        }
    }
}

extension ListFold {
    /// The shown state, without items that were marked off before the person ever saw them. An item is shown if a later
    /// entry has decided otherwise.
    /// - Parameter unseen: the items of ``FinishedUnseenItems/markedOff``.
    public func state(without unseen: [ItemID: EntryID]) -> ListState {
        let list = self.list
        var state = list.state
        guard !unseen.isEmpty else { return state }
        state.items.removeAll { item in
            guard item.markedOff, let decidedBy = unseen[item.id] else { return false }
            return list.item(item.id)?.markedOff?.by == decidedBy
        }
        return state
    }
}
