import TrolleyJournal
import TrolleyWire

/// The messages that an upload's entries are about, as far as the list knows them. Pure: it reads no database.
struct KnownMessages {
    /// The authors of the list's messages.
    private var authors: [EntryID: AccountID] = [:]
    private var deleted: Set<EntryID> = []
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
        return nil
    }

    /// Notes an entry of the upload that is appended.
    mutating func append(_ entry: ConfirmedEntry) {
        switch entry.entry.operation {
        case .message: if !deleted.contains(entry.entry.id) { more += 1 }
        case .deleteMessage:
            if let message = entry.entry.message, authors[message] != nil, !deleted.contains(message) { more -= 1 }
        default: break
        }
        note(entry)
    }
}
