/// What became of one item of a list, from the entries that are known: 'Where has my milk gone?'
public struct ItemTrace: Hashable, Sendable, Identifiable {
    public enum Status: String, Hashable, Sendable {
        case wanted, markedOff, deleted
    }

    /// A change of the item, with the person who made it.
    public struct Change: Hashable, Sendable {
        /// nil if compression has taken the entry away.
        public var entry: EntryID?
        public var at: Timestamp
        /// nil if unknown, and on a device without an account.
        public var by: AccountID?
    }

    public let id: ItemID
    /// The item's present text; empty while none is known.
    public private(set) var text = ""
    /// The other texts that it had, oldest first, each once.
    public private(set) var formerTexts: [String] = []
    public private(set) var status = Status.wanted
    /// The change since which the item has this status.
    public private(set) var since: Change
    /// The item's first known `add`; nil if it isn't known.
    public private(set) var added: Change?

    /// - Parameter changes: the item's entries, by ascending stamp; never empty.
    fileprivate init?(_ id: ItemID, _ changes: [KnownChange]) {
        guard let first = changes.first else { return nil }
        self.id = id
        since = first.change
        var item = FoldedItem(id: id)
        var texts: [String] = []
        for (index, known) in changes.enumerated() {
            // By ascending stamp, each decision is the latest so far, so the status after each entry is the one of the fold.
            item.decide(known.entry, at: known.stamp)
            let status: Status = item.isDeleted ? .deleted : item.isMarkedOff ? .markedOff : .wanted
            if index == 0 || status != self.status { (self.status, since) = (status, known.change) }
            if known.entry.operation == .add, added == nil { added = known.change }
            if let text = item.field(Fields.text)?.value.string, !text.isEmpty { texts.append(text) }
        }
        text = texts.last ?? ""
        for former in texts where !former.hasSameBytes(as: text) {
            if !formerTexts.contains(where: { $0.hasSameBytes(as: former) }) { formerTexts.append(former) }
        }
    }

    /// The trace of an item whose entries compression has taken away, from its purchase. nil if the purchase names no item.
    public init?(_ purchase: Purchase) {
        guard let item = purchase.item else { return nil }
        id = item
        text = purchase.text
        status = .markedOff
        since = Change(entry: purchase.entry, at: purchase.at, by: purchase.author)
        added = purchase.added.map { Change(entry: nil, at: $0, by: purchase.addedBy) }
    }

    /// All texts that the item had.
    fileprivate var texts: [String] { [text] + formerTexts }
}

/// An entry as far as a trace needs it.
private struct KnownChange {
    var entry: JournalEntry
    var stamp: Stamp
    var change: ItemTrace.Change
}

extension ItemTrace {
    /// The traces of all items of a list, those that changed their status last first.
    /// - Parameters:
    ///   - confirmed: the entries that are known, in any order: of the device, of its to-apply queue, and of the Activity. An
    ///     entry may be there twice.
    ///   - pending: this device's unconfirmed entries, in the order in which they were made.
    ///   - own: the author of `pending`; nil if there is no account.
    public static func traces(
        of confirmed: some Swift.Sequence<ConfirmedEntry>, pending: [PendingEntry] = [], by own: AccountID? = nil
    ) -> [ItemTrace] {
        var known: Set<EntryID> = []
        var changes: [ItemID: [KnownChange]] = [:]
        var last = SequenceNumber.start
        func note(_ entry: JournalEntry, at stamp: Stamp, by author: AccountID?) {
            guard entry.operation.concernsItem, let item = entry.item, known.insert(entry.id).inserted else { return }
            let change = Change(entry: entry.id, at: stamp.madeAt, by: author)
            changes[item, default: []].append(KnownChange(entry: entry, stamp: stamp, change: change))
        }
        for entry in confirmed {
            last = max(last, entry.sequence)
            note(entry.entry, at: entry.stamp, by: entry.author)
        }
        for entry in pending {
            last = last.advanced(by: 1)
            note(entry.entry, at: Stamp(madeAt: entry.madeAt, sequence: last), by: own)
        }
        return changes.compactMap { ItemTrace($0, $1.sorted { $0.stamp < $1.stamp }) }
            .sorted { $0.since.at == $1.since.at ? $0.id < $1.id : $0.since.at > $1.since.at }
    }
}

extension [ItemTrace] {
    /// The traces that a person may mean by a name, which may also be a former text: those with a word that begins with it,
    /// otherwise as `[Item].matching(_:)`. An item with exactly this text hides no other, because it may be another one that
    /// the person misses.
    public func named(_ name: String) -> [ItemTrace] {
        let wanted = name.itemKey.text
        if wanted.isEmpty { return [] }
        let pattern = BytePattern(wanted)
        let found = filter { $0.texts.contains { pattern.beginsWord(of: $0.itemKey.text) } }
        if !found.isEmpty { return found }
        let texts = flatMap { trace in trace.texts.map { Item(id: trace.id, fields: [Fields.text: .string($0)]) } }
        let matching = Set(texts.matching(wanted).map { texts[$0].id })
        return filter { matching.contains($0.id) }
    }
}
