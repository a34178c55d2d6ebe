/// The analysis of a journal: its fold, its digest, and the compression that is possible.
public struct Inspection: Hashable, Sendable {
    /// The state that all entries show.
    public var state: ListState
    public var digest: StateDigest
    /// The list's messages.
    public var messages: [Message]
    public var compression: Compression

    /// - Parameters:
    ///   - entries: in any order.
    ///   - last: later entries are left out.
    ///   - cutOff: entries received before this time are old for the compression.
    public init(
        of entries: some Swift.Sequence<ConfirmedEntry>, through last: SequenceNumber? = nil,
        olderThan cutOff: Timestamp
    ) {
        let entries = entries.filter { entry in last.map { entry.sequence <= $0 } ?? true }
        state = ListState(folding: entries)
        digest = state.digest
        messages = Conversation(folding: entries).messages()
        compression = Compression(of: entries, olderThan: cutOff)
    }
}
