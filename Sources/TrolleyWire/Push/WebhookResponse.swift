public import TrolleyJournal

/// A webhook of the account.
public struct WebhookResponse: Hashable, Sendable, Codable {
    public var id: WebhookID
    public var url: String
    /// Whether messages say what has happened.
    public var content: Bool
    public var createdAt: Timestamp
    /// Whether the last attempt to send a message failed.
    public var failing: Bool
    /// The key of the signatures: `whsec_` and 32 bytes in base64. Only in the answer that makes the webhook.
    public var secret: String?

    public init(
        id: WebhookID, url: String, content: Bool, createdAt: Timestamp, failing: Bool = false, secret: String? = nil
    ) {
        self.id = id
        self.url = url
        self.content = content
        self.createdAt = createdAt
        self.failing = failing
        self.secret = secret
    }
}
