/// Of what waits in a device's to-apply queue: items that came and were finished before the person ever saw them, and
/// about which nothing recent is known. They never need to be shown. (DESIGN §2, 'Compression': 3 h, on what waits in the
/// to-apply queue, before the list on screen changes.)
///
/// Nothing of the journal is thrown away for it: who brings such an item back (somebody's `unmark`, an undo) finds all of
/// it. Only what is shown leaves it out, see ``ListFold/state(without:)``.
public struct FinishedArrivals: Hashable, Sendable {
    /// All entries about such items; each of them waits.
    public private(set) var entries: Set<EntryID> = []
    /// Those that are marked off (deleted ones are not shown anyway), with the entry that did it.
    public private(set) var markedOff: [ItemID: EntryID] = [:]

    public init() {}

    /// - Parameters:
    ///   - waiting: entries that wait to be applied; all of those about an item, or none.
    ///   - cutOff: only items count all of whose entries were received before.
    ///   - shown: what the device shows. An item that it knows was seen.
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
    /// What the device shows, without items that were marked off before the person ever saw them. An item of which
    /// something else has been decided since is shown like any other.
    /// - Parameter unseen: as ``FinishedArrivals/markedOff`` said.
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
