/// `PUT /v1/push/subscription`: a browser's `PushSubscription`, as its `toJSON()` returns it.
public struct PushSubscriptionRequest: Hashable, Sendable, Codable {
    /// The keys with which messages to the browser are encrypted (RFC 8291).
    public struct Keys: Hashable, Sendable, Codable {
        /// The browser's public key: 65 bytes in base64url.
        public var p256dh: String
        /// The browser's authentication secret: 16 bytes in base64url.
        public var auth: String

        public init(p256dh: String, auth: String) {
            self.p256dh = p256dh
            self.auth = auth
        }
    }

    /// The address at the push service.
    public var endpoint: String
    public var keys: Keys
    /// Whether notifications say what has happened; nil: only that something has.
    public var content: Bool?
    /// The language of the notifications, as a language tag (`en`, `de-AT`); nil, and a language that the service doesn't
    /// know: English.
    public var language: String?

    public init(endpoint: String, keys: Keys, content: Bool? = nil, language: String? = nil) {
        self.endpoint = endpoint
        self.keys = keys
        self.content = content
        self.language = language
    }
}
