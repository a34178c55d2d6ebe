public import TrolleyJournal

/// What one person did, as counts. See ``ChangeTally`` for what counts.
public struct SummarizedPerson: Hashable, Sendable, Codable {
    public var account: AccountID
    /// nil when the account was deleted.
    public var name: String?
    public var added: Int
    public var edited: Int
    public var markedOff: Int
    public var unmarked: Int
    public var deleted: Int
    public var moved: Int
    /// Changes of the list's name, colour or order of aisles.
    public var listChanges: Int
    /// Messages written, without deleted ones.
    public var messages: Int

    public init(account: AccountID, name: String? = nil, _ tally: ChangeTally) {
        self.account = account
        self.name = name
        added = tally.added
        edited = tally.edited
        markedOff = tally.markedOff
        unmarked = tally.unmarked
        deleted = tally.deleted
        moved = tally.moved
        listChanges = tally.listChanges
        messages = tally.messages
    }
}

extension SummarizedPerson: JSONWritable {
    package func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("account", account)
            writer.member("name", ifAny: name)
            writer.member("added", added)
            writer.member("edited", edited)
            writer.member("markedOff", markedOff)
            writer.member("unmarked", unmarked)
            writer.member("deleted", deleted)
            writer.member("moved", moved)
            writer.member("listChanges", listChanges)
            writer.member("messages", messages)
        }
    }
}
