/// What may be discarded from a journal without changing what its list shows, and the new anchors that this takes.
///
/// Afterwards name, colour, wanted items, their fields and their order are exactly what they were; only finished items
/// (deleted or marked off) all of whose entries are older than the cut-off are gone. Entries that are not older than
/// the cut-off are never discarded, but one whose anchor goes gets a new anchor. Compressing again with the same
/// cut-off finds nothing. (DESIGN §2, 'Compression'.)
public struct Compression: Hashable, Sendable {
    /// In stream order.
    public private(set) var discarded: [Discard]
    /// In stream order; only of entries that stay.
    public private(set) var anchors: [NewAnchor]

    /// An entry that goes.
    public struct Discard: Hashable, Sendable, Codable {
        public var id: EntryID
        public var why: Reason

        public init(id: EntryID, why: Reason) {
            self.id = id
            self.why = why
        }
    }

    /// An entry that stays, and what its `after` becomes; nil: the top.
    public struct NewAnchor: Hashable, Sendable {
        public var id: EntryID
        public var after: ItemID?

        public init(id: EntryID, after: ItemID?) {
            self.id = id
            self.after = after
        }
    }

    /// Why an entry goes.
    public enum Reason: String, CaseIterable, Hashable, Sendable, Codable {
        /// Its item is deleted, and nothing recent is known of it.
        case itemDeleted
        /// Its item is marked off, and nothing recent is known of it.
        case itemMarkedOff
        /// Later changes have overwritten all that it wrote.
        case overwritten
        /// The item was put somewhere else later.
        case movedAgain
        /// Whether the item is there, or marked off, was decided again later.
        case decidedAgain
        /// It never did anything, and never will.
        case noEffect
    }

    /// Whether there is nothing to do.
    public var isEmpty: Bool { discarded.isEmpty && anchors.isEmpty }

    /// - Parameters:
    ///   - entries: all entries of a list that are live, in any order.
    ///   - cutOff: only what was received before may go.
    ///   - mayGo: entries for which this is false are treated as recent. A device that compresses what waits in its
    ///     to-apply queue says which entries those are, and passes what it shows already as well: without it, the mere
    ///     'marked off' of an item on the screen would seem to be an item that is finished.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, olderThan cutOff: Timestamp,
        where mayGo: (ConfirmedEntry) -> Bool = { _ in true }
    ) {
        var list = FoldedList()
        list.reserveCapacity(entries.underestimatedCount)
        let entries = entries.inStreamOrder().filter { list.fold($0.entry, at: $0.stamp) }
        let isRecent = entries.map { $0.receivedAt >= cutOff || !mayGo($0) }
        let finished = list.slotsOfFinishedItems(exceptOf: zip(entries, isRecent).lazy.filter(\.1).map(\.0.entry))

        var places = SurvivingPlaces(in: list)
        discarded = []
        anchors = []
        for (entry, isRecent) in zip(entries, isRecent) {
            let reason = isRecent ? nil : list.reasonToDiscard(entry.entry, finished: finished)
            if let reason { discarded.append(Discard(id: entry.entry.id, why: reason)) }
            guard let anchor = places.follow(entry.entry, stays: reason == nil) else { continue }
            if Mistake.isMade(.noNewAnchors) { continue }
            if Mistake.isMade(.anchorsOnlyForPurgedItems), let slot = entry.entry.after.flatMap({ list.slot(of: $0) }),
                !finished[Int(slot)]
            {
                continue
            }
            anchors.append(anchor)
        }
    }

    public init(discarded: [Discard], anchors: [NewAnchor]) {
        self.discarded = discarded
        self.anchors = anchors
    }

    /// The journal without what is discarded, with the new anchors.
    public func applied(to entries: some Swift.Sequence<ConfirmedEntry>) -> [ConfirmedEntry] {
        let gone = Set(discarded.lazy.map(\.id))
        let moved = Dictionary(anchors.lazy.map { ($0.id, $0.after) }, uniquingKeysWith: { _, last in last })
        return entries.lazy.filter { !gone.contains($0.entry.id) }.map { entry in
            guard let anchor = moved[entry.entry.id] else { return entry }
            var entry = entry
            entry.entry.after = anchor
            return entry
        }
    }
}

extension FoldedList {
    /// For each slot, whether its item is finished and none of these entries names it.
    fileprivate func slotsOfFinishedItems(exceptOf recent: some Swift.Sequence<JournalEntry>) -> [Bool] {
        var finished = items.map(\.isFinished)
        if Mistake.isMade(.recentItemsArePurged) { return finished }
        for entry in recent {
            guard let slot = slot(of: entry) else { continue }
            finished[Int(slot)] = false
        }
        return finished
    }

    /// Why an old entry may go; nil: it still wins something.
    fileprivate func reasonToDiscard(_ entry: JournalEntry, finished: [Bool]) -> Compression.Reason? {
        guard entry.operation.concernsItem else {
            if name?.by == entry.id || colour?.by == entry.id { return nil }
            return entry.listValue == nil ? .noEffect : .overwritten
        }
        guard let slot = slot(of: entry) else { return .noEffect }
        let item = self[slot]
        if finished[Int(slot)] { return item.isDeleted ? .itemDeleted : .itemMarkedOff }
        if item.isDecided(by: entry) { return nil }
        if Mistake.isMade(.dominatedEditsStay), entry.operation == .edit { return nil }
        return switch entry.operation {
        case .edit: .overwritten
        case .move: item.isAdded ? .movedAgain : .noEffect
        default: .decidedAgain
        }
    }
}
