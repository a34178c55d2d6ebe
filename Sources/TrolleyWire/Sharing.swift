public import TrolleyJournal

/// `POST /v1/lists/{id}/invitations`.
public struct InvitationRequest: Hashable, Sendable, Codable {
    /// The person to invite; nil makes a link that works once, for whoever opens it.
    public var email: String?
    /// readWrite when absent.
    public var permission: Permission?

    public init(email: String? = nil, permission: Permission? = nil) {
        self.email = email
        self.permission = permission
    }
}

public struct InvitationResponse: Hashable, Sendable, Codable {
    /// What opens the invitation: 256 bits in base64url. It is told once, stored only as a hash, and belongs in the
    /// fragment of a link, which browsers don't send.
    public var secret: String
    public var email: String?
    public var permission: Permission
    public var expiresAt: Timestamp?

    public init(secret: String, email: String?, permission: Permission, expiresAt: Timestamp?) {
        self.secret = secret
        self.email = email
        self.permission = permission
        self.expiresAt = expiresAt
    }
}

/// `GET /v1/invitations/{secret}`: a look, which changes nothing.
public struct InvitationPreview: Hashable, Sendable, Codable {
    public var list: ListID
    /// What the list is called, as far as anybody named it.
    public var name: String?
    public var colour: String?
    /// The name of the person who shares it.
    public var owner: String
    public var permission: Permission
    /// Whether this account is on the list already.
    public var accepted: Bool

    public init(
        list: ListID, name: String?, colour: String?, owner: String, permission: Permission, accepted: Bool
    ) {
        self.list = list
        self.name = name
        self.colour = colour
        self.owner = owner
        self.permission = permission
        self.accepted = accepted
    }
}

/// `GET /v1/lists/{id}/share`.
public struct ShareResponse: Hashable, Sendable, Codable {
    public var share: ShareState

    public init(share: ShareState) { self.share = share }
}
