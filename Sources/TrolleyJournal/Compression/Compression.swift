/// The entries that can be discarded from a journal without changing what its list shows, and the new anchors that this
/// needs.
///
/// Afterwards the name, the colour, the wanted items with their fields and order, and the messages are exactly the same.
/// Only finished items (deleted or marked off) and deleted messages whose entries are all older than the cut-off are
/// gone. Entries that are not older than the cut-off are never discarded, but get a new anchor if theirs is gone.
/// Compressing again with the same cut-off finds nothing. docs/journal.md ('Compression') gives the rules.
public struct Compression: Hashable, Sendable {
    /// In stream order.
    public internal(set) var discarded: [Discard]
    /// In stream order; only of entries that stay.
    public internal(set) var anchors: [NewAnchor]

    /// An entry to discard.
    public struct Discard: Hashable, Sendable, Codable {
        public var id: EntryID
        public var why: Reason

        public init(id: EntryID, why: Reason) {
            self.id = id
            self.why = why
        }
    }

    /// An entry that stays, and its new `after`; nil: the top.
    public struct NewAnchor: Hashable, Sendable {
        public var id: EntryID
        public var after: ItemID?

        public init(id: EntryID, after: ItemID?) {
            self.id = id
            self.after = after
        }

        init(_ anchor: SurvivingPlaces.Anchor, in list: FoldedList, of entries: [ConfirmedEntry]) {
            self.init(id: entries[anchor.entry].entry.id, after: anchor.after.map { list[$0].id })
        }
    }

    /// Why an entry is discarded.
    public enum Reason: String, CaseIterable, Hashable, Sendable, Codable {
        /// Its item is deleted and has no recent entry.
        case itemDeleted
        /// Its item is marked off and has no recent entry.
        case itemMarkedOff
        /// Later changes have overwritten all fields that it wrote.
        case overwritten
        /// A later change placed the item.
        case movedAgain
        /// A later entry decided again whether the item is deleted, or marked off; or a reaction or pin of a message.
        case decidedAgain
        /// Its message is deleted and has no recent entry, or was removed before.
        case messageDeleted
        /// It never had an effect, and never will.
        case noEffect
    }

    /// Whether nothing is to be done.
    public var isEmpty: Bool { discarded.isEmpty && anchors.isEmpty }

    /// - Parameters:
    ///   - entries: all live entries of a list, in any order.
    ///   - cutOff: only entries that were received before this time are old.
    ///   - removed: messages that earlier compressions have removed, as far as ``missingMessages(in:)`` names them. What came
    ///     about one of these later goes, too.
    ///   - isDiscardable: entries for which this is false count as recent. A device that compresses its to-apply queue returns
    ///     true for the queue's entries only, and passes the shown entries as well: without them, a lone `markOff` of a
    ///     shown item would look like a finished item.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, olderThan cutOff: Timestamp, removed: Set<EntryID> = [],
        where isDiscardable: (ConfirmedEntry) -> Bool = { _ in true }
    ) {
        let entries = entries.inStreamOrder()
        var list = FoldedList()
        list.reserveCapacity(entries.count)
        // By index, here and below: an iterator would copy each entry.
        let targets = entries.indices.map { list.fold(entries[$0].entry, at: entries[$0].stamp) }
        let isRecent = entries.indices.map { entries[$0].receivedAt >= cutOff || !isDiscardable(entries[$0]) }
        let finished = list.finishedSlots(exceptOf: zip(targets, isRecent))
        let messages = Conversation(folding: entries)
        let finishedMessages = messages.finished(in: entries, isRecent: isRecent)

        discarded = []
        anchors = []
        var steps = [SurvivingPlaces.Step](repeating: SurvivingPlaces.never, count: entries.count)
        for index in entries.indices where !isRecent[index] {
            // There is no target if the same entry occurred before.
            guard let target = targets[index] else { continue }
            let entry = entries[index].entry
            let reason =
                entry.operation.concernsMessages
                ? messages.reasonToDiscard(entries[index], finished: finishedMessages, removed: removed)
                : list.reasonToDiscard(entry, on: target.item, finished: finished)
            guard let reason else { continue }
            discarded.append(Discard(id: entries[index].entry.id, why: reason))
            steps[index] = 1
        }
        guard !discarded.isEmpty, !SeededFault.isSeeded(.noNewAnchors) else { return }
        let places = SurvivingPlaces(targets, slots: list.items.count)
        for anchor in places.anchors(goingWith: steps) ?? [] {
            if SeededFault.isSeeded(.anchorsOnlyForPurgedItems), case .slot(let slot)? = targets[anchor.entry]?.anchor,
                !finished[Int(slot)]
            {
                continue
            }
            anchors.append(NewAnchor(anchor, in: list, of: entries))
        }
    }

    /// The messages that entries are about and that are not among the entries: removed ones, or ones that are still to come.
    public static func missingMessages(in entries: some Swift.Sequence<ConfirmedEntry>) -> Set<EntryID> {
        var (named, present): (Set<EntryID>, Set<EntryID>) = ([], [])
        for entry in entries {
            if entry.entry.operation == .message { present.insert(entry.entry.id) }
            if let message = entry.entry.message { named.insert(message) }
        }
        return named.subtracting(present)
    }

    public init(discarded: [Discard], anchors: [NewAnchor]) {
        self.discarded = discarded
        self.anchors = anchors
    }

    /// The journal without the discarded entries, and with the new anchors.
    public func applied(to entries: some Swift.Sequence<ConfirmedEntry>) -> [ConfirmedEntry] {
        let gone = Set(discarded.lazy.map { $0.id })
        var moved: [EntryID: ItemID?] = [:]
        for anchor in anchors { moved.updateValue(anchor.after, forKey: anchor.id) }
        return entries.lazy.filter { !gone.contains($0.entry.id) }.map { entry in
            guard let anchor = moved[entry.entry.id] else { return entry }
            var entry = entry
            entry.entry.after = anchor
            return entry
        }
    }
}

extension FoldedList {
    /// For each slot, whether its item is finished and has no recent entry.
    fileprivate func finishedSlots(exceptOf targets: some Swift.Sequence<(Target?, Bool)>) -> [Bool] {
        var finished = items.map { $0.isFinished }
        if SeededFault.isSeeded(.recentItemsArePurged) { return finished }
        for (target, isRecent) in targets where isRecent {
            if let slot = target?.item { finished[Int(slot)] = false }
        }
        return finished
    }

    /// Why an old entry may be discarded; nil: it still decides something.
    fileprivate func reasonToDiscard(
        _ entry: JournalEntry, on slot: ItemOrder.Slot?, finished: [Bool]
    ) -> Compression.Reason? {
        guard entry.operation.concernsItem else {
            // An operation that this version doesn't know may have an effect in another.
            guard entry.operation.concernsList else { return nil }
            let written = entry.listFields
            for (key, _) in written where fields[key]?.by == entry.id { return nil }
            return written.isEmpty ? .noEffect : .overwritten
        }
        guard let slot else { return .noEffect }
        if finished[Int(slot)] { return self[slot].isDeleted ? .itemDeleted : .itemMarkedOff }
        if self[slot].isDecided(by: entry) { return nil }
        if SeededFault.isSeeded(.overwrittenEditsStay), entry.operation == .edit { return nil }
        return switch entry.operation {
        case .edit: .overwritten
        case .move: self[slot].isAdded ? .movedAgain : .noEffect
        default: .decidedAgain
        }
    }
}
