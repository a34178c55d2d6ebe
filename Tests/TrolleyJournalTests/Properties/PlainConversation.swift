import TrolleyJournal

/// The messages exactly as docs/journal.md ('Messages') describes them, without any optimisation.
struct PlainConversation {
    private let entries: [ConfirmedEntry]

    init(_ confirmed: [ConfirmedEntry]) {
        var seen: Set<EntryID> = []
        entries = confirmed.sorted { $0.sequence < $1.sequence }
            .filter { $0.entry.operation.concernsMessages && seen.insert($0.entry.id).inserted }
            .filter { $0.entry.messageFault == nil }
    }

    var messages: [Message] {
        entries.filter { $0.entry.operation == .message && !isDeleted($0.entry.id) }.map { message in
            let id = message.entry.id
            let reactions = shownReactions(to: id)
            var shown: [Message.Reaction] = []
            for reaction in reactions {
                let text = reaction.text
                if !shown.contains(where: { $0.text.utf8.elementsEqual(text.utf8) }) {
                    let same = reactions.filter { $0.text.utf8.elementsEqual(text.utf8) }
                    shown.append(Message.Reaction(text: text, accounts: same.map(\.author), isMine: false))
                }
            }
            return Message(
                id: id, sequence: message.sequence, author: message.author, madeAt: message.madeAt,
                item: message.entry.item, fields: message.entry.fields, reactions: shown,
                isPinned: latest(id, [.pin, .unpin])?.entry.operation == .pin)
        }
    }

    /// The messages without their sequences, which differ between a journal and its compressed form.
    var said: [Message] { messages.said }

    private func about(_ message: EntryID) -> [ConfirmedEntry] { entries.filter { $0.entry.message == message } }

    private func isDeleted(_ message: EntryID) -> Bool {
        about(message).contains { $0.entry.operation == .deleteMessage }
    }

    private func latest(_ message: EntryID, _ operations: [Operation]) -> ConfirmedEntry? {
        about(message).filter { operations.contains($0.entry.operation) }.max(by: PlainFold.loses)
    }

    /// For each person and reaction the latest decision, in the order in which they were made.
    private func latestReactions(to message: EntryID) -> [ConfirmedEntry] {
        let all = about(message).filter { $0.entry.operation == .react || $0.entry.operation == .unreact }
        return all.filter { entry in
            !all.contains { $0.isSameReaction(as: entry) && PlainFold.loses(entry, $0) }
        }.sorted(by: PlainFold.loses)
    }

    /// Those that hold, of each person the 32 that were made first.
    private func shownReactions(to message: EntryID) -> [ConfirmedEntry] {
        let holding = latestReactions(to: message).filter { $0.entry.operation == .react }
        return holding.indices
            .filter { index in holding[..<index].count { $0.author == holding[index].author } < 32 }
            .map { holding[$0] }
    }

    /// Whether compression keeps an entry about messages.
    func keeps(_ entry: ConfirmedEntry, olderThan cutOff: Timestamp) -> Bool {
        guard entry.entry.messageFault == nil else { return false }
        let id = entry.entry.message ?? entry.entry.id
        guard let message = entries.first(where: { $0.entry.id == id && $0.entry.operation == .message }) else {
            return true
        }
        let others = about(id)
        if isDeleted(id), ([message] + others).allSatisfy({ $0.receivedAt < cutOff }) { return false }
        return entry == message || latest(id, [.pin, .unpin]) == entry || latestReactions(to: id).contains(entry)
            || others.first { $0.entry.operation == .deleteMessage } == entry
    }
}

extension ConfirmedEntry {
    fileprivate var text: String { entry.fields[Fields.text]?.string ?? "" }

    fileprivate func isSameReaction(as other: ConfirmedEntry) -> Bool {
        author == other.author && text.utf8.elementsEqual(other.text.utf8)
    }
}

extension [Message] {
    /// The messages without their sequences.
    var said: [Message] {
        map { message in
            var message = message
            message.sequence = nil
            return message
        }
    }
}
