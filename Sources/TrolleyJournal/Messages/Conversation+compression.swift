extension Conversation {
    /// The messages that compression removes: deleted ones without a recent entry that has an effect on them.
    /// - Parameter isRecent: for each entry whether it must stay.
    func finished(in entries: [ConfirmedEntry], isRecent: [Bool]) -> Set<EntryID> {
        var finished = deleted
        guard !finished.isEmpty else { return [] }
        for index in entries.indices where isRecent[index] && entries[index].entry.messageFault == nil {
            let entry = entries[index].entry
            finished.remove(entry.id)
            if let message = entry.message { finished.remove(message) }
        }
        return finished
    }

    /// Why an old entry about messages may be discarded; nil: it still decides something.
    /// - Parameters:
    ///   - finished: ``finished(in:isRecent:)``.
    ///   - removed: messages that an earlier compression has removed.
    func reasonToDiscard(
        _ confirmed: ConfirmedEntry, finished: Set<EntryID>, removed: Set<EntryID>
    ) -> Compression.Reason? {
        let entry = confirmed.entry
        if entry.messageFault != nil { return .noEffect }
        let id = entry.message ?? entry.id
        // A message that is not there may still come, to a service that was restored. A removed one never comes back.
        guard let message = folded(id) else { return removed.contains(id) ? .messageDeleted : nil }
        if finished.contains(message.id) { return .messageDeleted }
        if SeededFault.isSeeded(.unreactsAreDiscarded), entry.operation == .unreact { return .decidedAgain }
        if entry.operation == .message || message.isDecided(by: entry, of: confirmed.author) { return nil }
        return .decidedAgain
    }
}
