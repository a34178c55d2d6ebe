package import TrolleyJournal
package import TrolleyWire

/// Where a delivery goes.
package struct PushTarget: Hashable, Sendable {
    /// How the endpoint is spoken to.
    package enum Kind: Hashable, Sendable {
        /// A browser, behind its push service.
        case browser(PushKeys, app: String)
        /// A program with registrations, behind its push service; and this service's origin, as the program reaches it.
        case calendar(PushKeys, origin: String)
        /// A webhook, with the key that signs its messages.
        case webhook(secret: [UInt8])
    }

    /// The id of the webhook, or of the subscription, which has none elsewhere.
    package let id: WebhookID
    package let account: AccountID
    package let url: String
    package let kind: Kind
    /// Whether the person asked to be told what has happened.
    package let withContent: Bool
    /// Whether its last attempt failed.
    package let failing: Bool
    /// The language of its notices, as a language tag; nil: English.
    package let language: String?

    /// Whether a push service answers, rather than a webhook.
    package var isPush: Bool {
        if case .webhook = kind { false } else { true }
    }

    /// The host and port of `https://host:port/path`. The rest of an address is a secret.
    static func host(of url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        return parts.count > 2 ? String(parts[2].prefix { $0 != "/" && $0 != "?" }) : ""
    }
}
