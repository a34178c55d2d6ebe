import TrolleyJournal
import TrolleyWire

/// The messages that an upload's entries are about, as far as the list knows them. Pure: it reads no database.
struct KnownMessages {
    /// The authors of the list's messages.
    private var authors: [EntryID: AccountID] = [:]
    private var deleted: Set<EntryID> = []
    /// The uploader's live entries about reactions to each message.
    private var reactions: [EntryID: Int] = [:]
    /// A message shows fewer of one person. Without a limit, one person could make a message expensive for everybody who
    /// shows it. Taking back may use twice as many.
    static let maxReactionsOfOnePerson = 256
    /// Entries that compression removed. A change to such a message is applied and does nothing.
    private var archived: Set<EntryID> = []
    /// Whether devices may still offer again what the service has lost. A message that is not here may then come later.
    var isRecovering = false
    /// By how much the upload changes the number of messages.
    private(set) var more = 0

    /// Notes a live entry of the list: a message, or its deletion.
    mutating func note(_ entry: ConfirmedEntry) {
        switch entry.entry.operation {
        case .message: authors[entry.entry.id] = entry.author
        case .deleteMessage: if let message = entry.entry.message { deleted.insert(message) }
        default: break
        }
    }

    /// Notes the number of the uploader's live entries about reactions to a message.
    mutating func note(reactions count: Int, to message: EntryID) { reactions[message] = count }

    mutating func note(archived entry: EntryID) { archived.insert(entry) }

    /// Why an entry about a message is rejected; nil: it isn't.
    func refusal(
        of entry: JournalEntry, by account: AccountID, as role: Role
    ) -> (code: ProblemCode, detail: String)? {
        guard let message = entry.message else { return nil }
        guard let author = authors[message] else {
            if archived.contains(message) || isRecovering { return nil }
            return (.unknownItem, "this list has no such message")
        }
        if entry.operation == .deleteMessage, author != account, role != .owner {
            return (.permissionFailure, "a message is deleted by its author or the list's owner")
        }
        let limit = Self.maxReactionsOfOnePerson * (entry.operation == .unreact ? 2 : 1)
        if entry.operation.isReaction, reactions[message] ?? 0 >= limit {
            return (
                .quotaExceeded,
                "a person may react to a message \(Self.maxReactionsOfOnePerson) times, until that is compressed"
            )
        }
        return nil
    }

    /// Notes an entry of the upload that is appended.
    mutating func append(_ entry: ConfirmedEntry) {
        switch entry.entry.operation {
        case .message: if !deleted.contains(entry.entry.id) { more += 1 }
        case .deleteMessage:
            if let message = entry.entry.message, authors[message] != nil, !deleted.contains(message) { more -= 1 }
        case .react, .unreact: if let message = entry.entry.message { reactions[message, default: 0] += 1 }
        default: break
        }
        note(entry)
    }
}

extension Operation {
    fileprivate var isReaction: Bool { self == .react || self == .unreact }
}
