public import TrolleyJournal

// Presence and read marks are different: presence says who has a list open now, and expires soon; a read mark says how
// far a person has read, and never goes back.

/// `PUT /v1/lists/{id}/presence`.
public struct PresenceRequest: Hashable, Sendable, Codable {
    /// Whether the list is open on this device. true when absent.
    public var present: Bool?
    /// The device's public key for hails: X25519, 32 bytes in base64url. nil: the device doesn't enter rooms.
    public var hailKey: String?
    /// How long the device counts as present without a further report, in milliseconds: 1,000 to 600,000. 60,000 when
    /// absent.
    public var lease: Int64?

    public init(present: Bool? = nil, hailKey: String? = nil, lease: Int64? = nil) {
        self.present = present
        self.hailKey = hailKey
        self.lease = lease
    }
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
    /// The devices that have the list open and enter rooms; nil from a service that has no rooms.
    public var devices: [PresentDevice]?
    /// The service's clock, for handshakes; nil from a service that has no rooms.
    public var now: Timestamp?

    public init(
        presence: [Presence], renewAfter: Int64, devices: [PresentDevice]? = nil, now: Timestamp? = nil
    ) {
        self.presence = presence
        self.renewAfter = renewAfter
        self.devices = devices
        self.now = now
    }
}

/// A device that has a list open and enters rooms.
public struct PresentDevice: Hashable, Sendable, Codable {
    public var account: AccountID
    public var device: DeviceID
    /// When it opened the list. The first of all devices makes the room.
    public var since: Timestamp
    /// Its public key for hails: X25519, 32 bytes in base64url.
    public var hailKey: String

    public init(account: AccountID, device: DeviceID, since: Timestamp, hailKey: String) {
        self.account = account
        self.device = device
        self.since = since
        self.hailKey = hailKey
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
