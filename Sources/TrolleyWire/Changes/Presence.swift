public import TrolleyJournal

// Presence and read marks are different: presence says who has a list open now, and expires soon; a read mark says how
// far a person has read, and never goes back.

/// `PUT /v1/lists/{id}/presence`.
public struct PresenceRequest: Hashable, Sendable, Codable {
    /// Whether the list is open on this device. true when absent.
    public var present: Bool?

    public init(present: Bool? = nil) { self.present = present }
}

/// A person who has a list open.
public struct Presence: Hashable, Sendable, Codable {
    public var account: AccountID
    /// When the presence ends, unless one of the person's devices renews it.
    public var until: Timestamp

    public init(account: AccountID, until: Timestamp) {
        self.account = account
        self.until = until
    }
}

/// The answer to `PUT /v1/lists/{id}/presence`.
public struct PresenceResponse: Hashable, Sendable, Codable {
    /// Everybody who has the list open, including this account.
    public var presence: [Presence]
    /// Milliseconds after which the device should renew its presence.
    public var renewAfter: Int64

    public init(presence: [Presence], renewAfter: Int64) {
        self.presence = presence
        self.renewAfter = renewAfter
    }
}

/// How far a person has read a list.
public struct ReadMark: Hashable, Sendable, Codable {
    public var account: AccountID
    /// The last change that they have seen.
    public var through: SequenceNumber

    public init(account: AccountID, through: SequenceNumber) {
        self.account = account
        self.through = through
    }
}

/// `PUT /v1/lists/{id}/read`, and its answer: how far this account has read now, which never goes back.
public struct ReadPosition: Hashable, Sendable, Codable {
    public var through: SequenceNumber

    public init(through: SequenceNumber) { self.through = through }
}
