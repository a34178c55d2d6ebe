/// The folded state of one message.
struct FoldedMessage: Sendable {
    let id: EntryID
    /// nil: it waits to be sent.
    let sequence: SequenceNumber?
    /// nil: this device's person.
    let author: AccountID?
    let madeAt: Timestamp
    let item: ItemID?
    let fields: Fields
    /// The `deleteMessage` that came first. A message never comes back.
    private(set) var deletedBy: EntryID?
    private var pinned: Decision<Bool>?
    private var reactions: [Reaction] = []

    private struct Reaction: Sendable {
        let author: AccountID?
        let text: String
        var decision: Decision<Bool>
    }

    init(_ entry: JournalEntry, sequence: SequenceNumber?, author: AccountID?, madeAt: Timestamp) {
        id = entry.id
        self.sequence = sequence
        self.author = author
        self.madeAt = madeAt
        item = entry.item
        fields = entry.fields
    }

    var isDeleted: Bool { deletedBy != nil }

    /// Whether the entry, which is about this message, still decides something.
    func isDecided(by entry: EntryID) -> Bool {
        deletedBy == entry || pinned?.by == entry || reactions.contains { $0.decision.by == entry }
    }

    /// Takes the decision of an entry about this message.
    mutating func decide(_ entry: JournalEntry, by author: AccountID?, at stamp: Stamp) {
        switch entry.operation {
        case .deleteMessage: deletedBy = deletedBy ?? entry.id
        case .pin, .unpin: pinned.merge(entry.operation == .pin, at: stamp, by: entry.id)
        case .react, .unreact:
            guard let text = entry.reaction else { return }
            let value = entry.operation == .react
            if let index = reactions.firstIndex(where: { $0.author == author && $0.text.hasSameBytes(as: text) }) {
                reactions[index].decision.merge(value, at: stamp, by: entry.id)
            } else {
                reactions.append(
                    Reaction(author: author, text: text, decision: Decision(value, at: stamp, by: entry.id)))
            }
        default: break
        }
    }

    /// The message as it is shown.
    /// - Parameter person: the device's person, whose unconfirmed entries have no author.
    func shown(to person: AccountID?) -> Message {
        var shown: [Message.Reaction] = []
        for reaction in latest(of: person) {
            let index = shown.firstIndex { $0.text.hasSameBytes(as: reaction.text) } ?? shown.endIndex
            if index == shown.endIndex {
                shown.append(Message.Reaction(text: reaction.text, accounts: [], isMine: false))
            }
            let author = reaction.author ?? person
            if let author { shown[index].accounts.append(author) }
            if author == person, reaction.author == nil || person != nil { shown[index].isMine = true }
        }
        return Message(
            id: id, sequence: sequence, author: author ?? person, madeAt: madeAt, item: item, fields: fields,
            reactions: shown, isPinned: pinned?.value ?? false)
    }

    /// The reactions that hold. Of the person's confirmed and unconfirmed decisions on one reaction the later counts.
    private func latest(of person: AccountID?) -> [Reaction] {
        var latest: [Reaction] = []
        for reaction in reactions {
            let index = latest.firstIndex {
                ($0.author ?? person) == (reaction.author ?? person) && $0.text.hasSameBytes(as: reaction.text)
            }
            guard let index else {
                latest.append(reaction)
                continue
            }
            if latest[index].decision.stamp < reaction.decision.stamp { latest[index] = reaction }
        }
        return latest.filter { $0.decision.value }.inOrder { $0.decision.stamp < $1.decision.stamp }
    }
}
