/// A folded list that is kept up to date: applying new entries costs what the new ones cost, not the list's whole life.
///
/// Confirmed entries go in in the order of the stream. The device's own unconfirmed entries lie on top, and are folded
/// again whenever what is below them has changed. At any moment, `state` is what folding everything from scratch gives.
public struct ListFold: Sendable {
    private(set) var confirmed = FoldedList()
    /// The device's own entries that are not confirmed yet, in the order in which they were made.
    public private(set) var pending: [PendingEntry] = []
    /// Confirmed and pending entries together; nil when the pending ones are to be folded again.
    private var combined: FoldedList?

    public init() {}

    public init(
        folding confirmed: some Swift.Sequence<ConfirmedEntry>,
        pending: some Swift.Sequence<PendingEntry> = EmptyCollection<PendingEntry>()
    ) {
        self.confirmed.fold(confirmed)
        setPending(Array(pending))
    }

    /// The sequence of the latest confirmed entry that is folded.
    public var through: SequenceNumber { confirmed.last }

    /// Everything that is folded.
    var list: FoldedList {
        if pending.isEmpty { return confirmed }
        if let combined { return combined }
        var list = confirmed
        list.fold(pending)
        return list
    }

    /// What the device shows.
    public var state: ListState { list.state }

    /// What the list is called: `state.name`, without working out the rest.
    public var name: String? { list.name?.value.string }

    /// What all devices agree on: without this device's unconfirmed entries. Its digest is the one to compare with the
    /// server's.
    public var confirmedState: ListState { confirmed.state }

    /// Folds a confirmed entry; sequences must ascend. One that waited as an unconfirmed entry no longer does.
    ///
    /// An entry that was folded before changes nothing.
    public mutating func apply(_ entry: ConfirmedEntry) {
        confirmed.fold(entry.entry, at: entry.stamp)
        combined = nil
        if let index = pending.firstIndex(where: { $0.entry.id == entry.entry.id }) { pending.remove(at: index) }
    }

    /// Applies what compression took away (or what `AppendResolver` lifts): these entries are folded no longer, and an
    /// item goes with its last entry. New anchors need nothing: they stand for the places where the items are already.
    public mutating func discard(_ entries: some Swift.Sequence<EntryID>) {
        confirmed.discard(entries)
        combined = nil
    }

    /// Puts an entry that the device has just made on top.
    public mutating func append(_ entry: PendingEntry) {
        var list = self.list
        combined = nil
        list.fold(CollectionOfOne(entry))
        combined = list
        pending.append(entry)
    }

    /// Replaces the unconfirmed entries, for instance when the server has rejected one.
    public mutating func setPending(_ entries: [PendingEntry]) {
        pending = entries
        combined = nil
        // Here once, else each look at the list would fold them.
        if !entries.isEmpty { combined = list }
    }
}
