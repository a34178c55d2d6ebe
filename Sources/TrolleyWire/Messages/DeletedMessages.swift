public import TrolleyJournal

/// `GET /v1/lists/{id}/messages/deleted`: messages that were deleted since a token or a time.
public struct DeletedMessages: Hashable, Sendable, Codable {
    /// The ids of the messages, in the order in which they were deleted.
    public var messages: [EntryID]
    /// The `since` of the next request.
    public var token: String
    /// Whether there is more after `token` already.
    public var moreComing: Bool

    public init(messages: [EntryID], token: String, moreComing: Bool) {
        self.messages = messages
        self.token = token
        self.moreComing = moreComing
    }
}
