public import TrolleyJournal

/// `POST /v1/lists/{id}/invitations`.
public struct InvitationRequest: Hashable, Sendable, Codable {
    /// The address of the person to invite; nil creates a link, which works once, for the first person who opens it.
    public var email: String?
    /// How many people may use the link, 2 to 100; absent: one.
    public var uses: Int?
    /// readWrite when absent.
    public var permission: Permission?
    /// Milliseconds until it expires. When absent, an invitation by address is valid until it is withdrawn, a link for
    /// 30 days.
    public var expiresIn: Int64?
    /// 256 random bits in base64url, made by the device, so that repeating the request creates no second invitation.
    /// When absent, the service makes a secret.
    public var secret: String?

    public init(
        email: String? = nil, uses: Int? = nil, permission: Permission? = nil, expiresIn: Int64? = nil,
        secret: String? = nil
    ) {
        self.email = email
        self.uses = uses
        self.permission = permission
        self.expiresIn = expiresIn
        self.secret = secret
    }
}

public struct InvitationResponse: Hashable, Sendable, Codable {
    /// The id by which the list's owner can withdraw the invitation.
    public var id: InvitationID?
    /// The invitation's secret: 256 bits in base64url. It appears only in this answer; the service stores a hash. It
    /// belongs in the fragment of a link, which browsers don't send.
    public var secret: String
    public var email: String?
    public var permission: Permission
    public var expiresAt: Timestamp?
    /// How many people may use the link; absent: one.
    public var uses: Int?

    public init(
        id: InvitationID? = nil, secret: String, email: String?, permission: Permission, expiresAt: Timestamp?,
        uses: Int? = nil
    ) {
        self.uses = uses
        self.id = id
        self.secret = secret
        self.email = email
        self.permission = permission
        self.expiresAt = expiresAt
    }
}

/// `POST /v1/invitations/look`, `…/accept` and `…/decline`: names the invitation.
public struct SecretRequest: Hashable, Sendable, Codable {
    /// The invitation's secret.
    public var secret: String

    public init(secret: String) { self.secret = secret }
}

/// An invitation that can still be used, as the list's owner sees it: without its secret.
public struct OpenInvitation: Hashable, Sendable, Codable {
    public var id: InvitationID
    /// nil: a link.
    public var email: String?
    public var permission: Permission
    public var createdAt: Timestamp
    public var expiresAt: Timestamp?
    /// How many people may use the link, and how many have; absent for a link that works once.
    public var uses: Int?
    public var used: Int?
    /// Whether the person is on the list now. They could use the invitation to return after leaving.
    public var accepted: Bool

    public init(
        id: InvitationID, email: String?, permission: Permission, createdAt: Timestamp, expiresAt: Timestamp?,
        accepted: Bool, uses: Int? = nil, used: Int? = nil
    ) {
        self.id = id
        self.email = email
        self.permission = permission
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.accepted = accepted
        (self.uses, self.used) = (uses, used)
    }
}

/// `GET /v1/lists/{id}/invitations`, oldest first.
public struct InvitationsResponse: Hashable, Sendable, Codable {
    public var invitations: [OpenInvitation]

    public init(invitations: [OpenInvitation]) { self.invitations = invitations }
}

/// `GET /v1/lists/{id}/share`, and the answer to requests that change the share.
public struct ShareResponse: Hashable, Sendable, Codable {
    public var share: ShareState
    /// The people who have the list open now.
    public var presence: [Presence]?
    /// How far people have read.
    public var reads: [ReadMark]?
    /// How far the list is on a device of each person, as the devices' fetches show it. Never less than the person has
    /// read.
    public var received: [ReadMark]?

    public init(
        share: ShareState, presence: [Presence]? = nil, reads: [ReadMark]? = nil, received: [ReadMark]? = nil
    ) {
        self.share = share
        self.presence = presence
        self.reads = reads
        self.received = received
    }
}

/// `PATCH /v1/lists/{id}/participants/{account}`.
public struct PermissionRequest: Hashable, Sendable, Codable {
    public var permission: Permission

    public init(permission: Permission) { self.permission = permission }
}

/// `PUT /v1/lists/{id}/owner`: names the list's new owner.
public struct OwnerRequest: Hashable, Sendable, Codable {
    public var account: AccountID

    public init(account: AccountID) { self.account = account }
}
