/// What there is to see in a journal: its fold, its digest, and what compression would do to it.
public struct Inspection: Hashable, Sendable {
    /// What all entries show, none discarded.
    public var state: ListState
    public var digest: StateDigest
    public var compression: Compression

    /// - Parameters:
    ///   - entries: in any order.
    ///   - last: later entries are passed over.
    ///   - cutOff: what compression takes for old.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, through last: SequenceNumber? = nil,
        olderThan cutOff: Timestamp
    ) {
        let entries = entries.filter { entry in last.map { entry.sequence <= $0 } ?? true }
        state = ListState(folding: entries)
        digest = state.digest
        compression = Compression(of: entries, olderThan: cutOff)
    }
}
