public import TrolleyJournal

/// A notice that could not be delivered and was given up.
public struct DeadLetter: Hashable, Sendable, Codable {
    public enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
        case push, webhook
    }

    public var id: DeliveryID
    public var kind: Kind
    public var account: AccountID
    public var list: ListID
    /// The host of the endpoint. The rest of its address is a secret.
    public var host: String
    /// Why the last attempt failed: `noPublicAddress`, `timedOut`, `redirected`, `status 500` …
    public var failure: String
    public var attempts: Int
    public var createdAt: Timestamp
    public var failedAt: Timestamp

    public init(
        id: DeliveryID, kind: Kind, account: AccountID, list: ListID, host: String, failure: String, attempts: Int,
        createdAt: Timestamp, failedAt: Timestamp
    ) {
        self.id = id
        self.kind = kind
        self.account = account
        self.list = list
        self.host = host
        self.failure = failure
        self.attempts = attempts
        self.createdAt = createdAt
        self.failedAt = failedAt
    }
}
