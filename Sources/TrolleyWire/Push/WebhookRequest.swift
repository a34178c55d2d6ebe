/// `POST /v1/webhooks`.
public struct WebhookRequest: Hashable, Sendable, Codable {
    /// An `https` address with a host name.
    public var url: String
    /// Whether messages say what has happened; nil: only that something has.
    public var content: Bool?

    public init(url: String, content: Bool? = nil) {
        self.url = url
        self.content = content
    }
}
