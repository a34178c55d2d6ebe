extension Fields {
    /// Of an entry about a message: the message's id.
    public static let message = "message"
}

extension JournalEntry {
    /// The most UTF-8 bytes that a reaction has: the longest emoji have fewer.
    public static let maxReactionBytes = 64

    /// The message that a `deleteMessage`, `react`, `unreact`, `pin` or `unpin` is about: the id of the `message` entry, in
    /// lower case. nil: the entry names none.
    public var message: EntryID? {
        guard operation.namesMessage, let name = fields[Fields.message]?.string, let id = EntryID(name),
            id.description.hasSameBytes(as: name)
        else { return nil }
        return id
    }

    /// The reaction that a `react` adds or an `unreact` takes back; nil: the entry has none.
    var reaction: String? {
        guard operation == .react || operation == .unreact, let text = fields[Fields.text]?.string,
            (1...Self.maxReactionBytes).contains(text.utf8.count)
        else { return nil }
        return text
    }

    /// Why the service rejects an entry about messages, as a sentence; nil: it doesn't. Such an entry has no effect.
    public var messageFault: String? {
        if operation == .message, fields[Fields.text]?.string?.utf8.isEmpty ?? true {
            return "fields.text: a message has a text"
        }
        if operation.namesMessage, message == nil {
            return "fields.message: must be the id of a message, in lower case"
        }
        if operation == .react || operation == .unreact, reaction == nil {
            return String(joining: "fields.text: a reaction has 1 to ", String(Self.maxReactionBytes), " bytes")
        }
        return nil
    }
}
