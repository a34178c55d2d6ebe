/// The folded state of one message.
struct FoldedMessage: Sendable {
    let id: EntryID
    /// nil: it waits to be sent.
    let sequence: SequenceNumber?
    /// nil: this device's person.
    let author: AccountID?
    let madeAt: Timestamp
    let item: ItemID?
    private(set) var fields: Fields
    /// The `deleteMessage` that came first. A message never comes back.
    private(set) var deletedBy: EntryID?
    /// Whether compression has discarded it.
    private(set) var isDiscarded = false
    private var pinned: Decision<Bool>?
    private var reactions = FoldedReactions()

    init(_ entry: JournalEntry, sequence: SequenceNumber?, author: AccountID?, madeAt: Timestamp) {
        id = entry.id
        self.sequence = sequence
        self.author = author
        self.madeAt = madeAt
        item = entry.item
        fields = entry.fields
    }

    /// Whether the message is not shown any more.
    var isDeleted: Bool { deletedBy != nil || isDiscarded }

    /// Whether the entry, which is about this message, still decides something.
    /// - Parameter author: the entry's author.
    func isDecided(by entry: JournalEntry, of author: AccountID?) -> Bool {
        deletedBy == entry.id || pinned?.by == entry.id || reactions.isDecided(by: entry, of: author)
    }

    /// Takes the decision of an entry about this message.
    mutating func decide(_ entry: JournalEntry, by author: AccountID?, at stamp: Stamp) {
        switch entry.operation {
        case .deleteMessage: deletedBy = deletedBy ?? entry.id
        case .pin, .unpin: pinned.merge(entry.operation == .pin, at: stamp, by: entry.id)
        case .react, .unreact:
            guard let text = entry.reaction else { return }
            reactions.decide(entry.operation == .react, text, by: author, at: stamp, entry: entry.id)
        default: break
        }
    }

    /// Frees what the message holds, since compression has discarded it.
    mutating func discard() {
        isDiscarded = true
        fields = Fields()
        pinned = nil
        reactions = FoldedReactions()
    }

    /// The message as it is shown.
    /// - Parameter person: the device's person, whose unconfirmed entries have no author.
    func shown(to person: AccountID?) -> Message {
        Message(
            id: id, sequence: sequence, author: author ?? person, madeAt: madeAt, item: item, fields: fields,
            reactions: reactions.shown(to: person), isPinned: pinned?.value ?? false)
    }
}
