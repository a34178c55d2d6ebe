/// A list's fold that is kept up to date: applying new entries takes time for the new entries only.
///
/// Confirmed entries are folded in stream order. The device's own unconfirmed entries come on top, and are folded again
/// whenever the confirmed ones change. At any moment, `state` equals the fold of everything from scratch.
public struct ListFold: Sendable {
    private(set) var confirmed = FoldedList()
    /// The messages among the confirmed entries.
    private var confirmedMessages = Conversation()
    /// The device's own unconfirmed entries, in the order in which they were made. A slice, so that removing the first
    /// one moves no other.
    private var unconfirmed: ArraySlice<PendingEntry> = []
    private var unconfirmedIDs: Set<EntryID> = []
    /// The fold of confirmed and pending entries; nil when the pending ones must be folded again.
    private var combined: FoldedList?

    public init() {}

    public init(
        folding confirmed: some Swift.Sequence<ConfirmedEntry>,
        pending: some Swift.Sequence<PendingEntry> = EmptyCollection<PendingEntry>()
    ) {
        let confirmed = confirmed.inStreamOrder()
        self.confirmed.fold(confirmed)
        confirmedMessages = Conversation(folding: confirmed)
        setPending(Array(pending))
    }

    /// The sequence of the latest folded confirmed entry.
    public var through: SequenceNumber { confirmed.last }

    /// The device's own unconfirmed entries, in the order in which they were made.
    public var pending: [PendingEntry] { Array(unconfirmed) }

    /// The fold of all entries.
    var list: FoldedList {
        if unconfirmed.isEmpty { return confirmed }
        if let combined { return combined }
        var list = confirmed
        list.fold(unconfirmed)
        return list
    }

    /// The list as the device shows it.
    public var state: ListState { list.state }

    /// The list's messages, with the device's own that wait to be sent.
    public var conversation: Conversation {
        guard unconfirmed.contains(where: { $0.entry.operation.concernsMessages }) else { return confirmedMessages }
        var conversation = confirmedMessages
        conversation.fold(pending, after: confirmed.last)
        return conversation
    }

    /// The list's name, equal to `state.name`, without computing the other parts.
    public var name: String? { list.text(Fields.name) }

    /// The state without this device's unconfirmed entries. All devices agree on it; its digest must equal the
    /// server's.
    public var confirmedState: ListState { confirmed.state }

    /// Folds a confirmed entry; sequences must ascend. If the entry was pending, it no longer is.
    ///
    /// An entry that was folded before changes nothing.
    public mutating func apply(_ entry: ConfirmedEntry) {
        let isNew = confirmed.fold(entry.entry, at: entry.stamp) != nil
        if isNew, entry.entry.operation.concernsMessages { confirmedMessages.apply(entry) }
        combined = nil
        guard unconfirmedIDs.remove(entry.entry.id) != nil else { return }
        // Devices send in this order, so it is mostly the first.
        let index = unconfirmed.firstIndex { $0.entry.id == entry.entry.id }
        if let index {
            if index == unconfirmed.startIndex { unconfirmed.removeFirst() } else { unconfirmed.remove(at: index) }
        }
    }

    /// Removes entries that compression discarded or `AppendResolver` lifted. An item is removed with its last entry, a
    /// message with its `message` entry.
    /// New anchors need no work here: they describe the places where the items are already.
    public mutating func discard(_ entries: some Swift.Sequence<EntryID>) {
        confirmed.discard(entries)
        confirmedMessages.discard(entries)
        combined = nil
    }

    /// Adds an entry that the device has just made, on top.
    public mutating func append(_ entry: PendingEntry) {
        var list = self.list
        combined = nil
        list.fold(CollectionOfOne(entry))
        combined = list
        unconfirmed.append(entry)
        unconfirmedIDs.insert(entry.entry.id)
    }

    /// Replaces the unconfirmed entries, for instance when the server has rejected one.
    public mutating func setPending(_ entries: [PendingEntry]) {
        unconfirmed = entries[...]
        unconfirmedIDs = Set(entries.lazy.map { $0.entry.id })
        combined = nil
        // Folds them once here; otherwise each access to the list would.
        if !entries.isEmpty { combined = list }
    }
}
