/// A message on a list, or on one of its items.
public struct Message: Hashable, Sendable, Identifiable {
    /// The id of the `message` entry.
    public var id: EntryID
    /// The message's place in the list's stream; nil: it waits to be sent.
    public var sequence: SequenceNumber?
    /// The person who wrote it; nil: this device's person, who is not signed in.
    public var author: AccountID?
    public var madeAt: Timestamp
    /// The item that it is about; nil: the list. The item may be gone.
    public var item: ItemID?
    /// All fields of the message, including `text`.
    public var fields: Fields
    /// In the order in which the reactions were made; of each person the first 32.
    public var reactions: [Reaction]
    public var isPinned: Bool

    /// What people added to a message, such as 👍.
    public struct Reaction: Hashable, Sendable {
        public var text: String
        /// The people who react so, in the order of their reactions.
        public var accounts: [AccountID]
        /// Whether the device's person is among them, who may not be signed in.
        public var isMine: Bool

        public init(text: String, accounts: [AccountID], isMine: Bool) {
            self.text = text
            self.accounts = accounts
            self.isMine = isMine
        }
    }

    public init(
        id: EntryID, sequence: SequenceNumber?, author: AccountID?, madeAt: Timestamp, item: ItemID? = nil,
        fields: Fields, reactions: [Reaction] = [], isPinned: Bool = false
    ) {
        self.id = id
        self.sequence = sequence
        self.author = author
        self.madeAt = madeAt
        self.item = item
        self.fields = fields
        self.reactions = reactions
        self.isPinned = isPinned
    }

    /// The message's text.
    public var text: String { fields[Fields.text]?.string ?? "" }
}
