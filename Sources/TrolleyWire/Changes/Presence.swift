public import TrolleyJournal

// Two things that are easily taken for one: who has a list open now, which ends by itself and is soon forgotten; and how
// far somebody has read, which only rises and is never in the future. (Seed 000.)

/// `PUT /v1/lists/{id}/presence`.
public struct PresenceRequest: Hashable, Sendable, Codable {
    /// Whether the list is open on this device. true when absent.
    public var present: Bool?

    public init(present: Bool? = nil) { self.present = present }
}

/// Somebody who has a list open.
public struct Presence: Hashable, Sendable, Codable {
    public var account: AccountID
    /// When it ends unless one of their devices says again that it is there.
    public var until: Timestamp

    public init(account: AccountID, until: Timestamp) {
        self.account = account
        self.until = until
    }
}

/// The answer to `PUT /v1/lists/{id}/presence`.
public struct PresenceResponse: Hashable, Sendable, Codable {
    /// Everybody who has the list open, oneself included.
    public var presence: [Presence]
    /// Milliseconds after which to say again that the list is open.
    public var renewAfter: Int64

    public init(presence: [Presence], renewAfter: Int64) {
        self.presence = presence
        self.renewAfter = renewAfter
    }
}

/// How far somebody has read a list.
public struct ReadMark: Hashable, Sendable, Codable {
    public var account: AccountID
    /// The last change that they have seen.
    public var through: SequenceNumber

    public init(account: AccountID, through: SequenceNumber) {
        self.account = account
        self.through = through
    }
}

/// `PUT /v1/lists/{id}/read`, and its answer: how far this account has read now, which is never less than before.
public struct ReadThrough: Hashable, Sendable, Codable {
    public var through: SequenceNumber

    public init(through: SequenceNumber) { self.through = through }
}
