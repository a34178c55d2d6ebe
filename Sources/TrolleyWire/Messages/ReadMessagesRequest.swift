public import TrolleyJournal

/// `POST /v1/lists/{id}/messages/read`: the account has read these messages, and everything before them. The answer is a
/// ``ReadPosition``.
public struct ReadMessagesRequest: Hashable, Sendable, Codable {
    public var messages: [EntryID]

    public init(messages: [EntryID]) { self.messages = messages }
}
