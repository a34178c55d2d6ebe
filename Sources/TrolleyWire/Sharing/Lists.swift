public import TrolleyJournal

/// `POST /v1/lists`. The device makes the id, so that repeating the request creates no second list.
public struct CreateListRequest: Hashable, Sendable, Codable {
    public var id: ListID
    /// Shares the list in the same step, so that it never exists without its share. Its items follow as entries.
    public var share: NewShare?
    /// The proof that the account owned the list, issued by the service: for a service that was restored from an older
    /// copy and has lost the list, or knows it as somebody else's.
    public var ownership: String?
    /// With `ownership`: the people who were on the list. If somebody else has created the lost list since, they get
    /// the role that this says.
    public var people: [ListPerson]?

    public init(id: ListID, share: NewShare? = nil, ownership: String? = nil, people: [ListPerson]? = nil) {
        self.id = id
        self.share = share
        self.ownership = ownership
        self.people = people
    }
}

/// A participant of a list, as its owner knew them.
public struct ListPerson: Hashable, Sendable, Codable {
    public var account: AccountID
    public var permission: Permission

    public init(account: AccountID, permission: Permission) {
        self.account = account
        self.permission = permission
    }
}

/// The people with whom a new list is shared.
public struct NewShare: Hashable, Sendable, Codable {
    public var invitations: [InvitationRequest]

    public init(invitations: [InvitationRequest]) { self.invitations = invitations }
}

/// The answer to `POST /v1/lists`: the list and, if it was created with its share, the invitations in the request's
/// order.
public struct CreateListResponse: Hashable, Sendable, Codable {
    public var list: ListResponse
    public var invitations: [InvitationResponse]?

    public init(list: ListResponse, invitations: [InvitationResponse]? = nil) {
        self.list = list
        self.invitations = invitations
    }

    private enum CodingKeys: CodingKey { case invitations }

    // The list's members and `invitations` are in one object.
    #if !hasFeature(Embedded)
        public init(from decoder: any Decoder) throws {
            list = try ListResponse(from: decoder)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            invitations = try container.decodeIfPresent([InvitationResponse].self, forKey: .invitations)
        }

        public func encode(to encoder: any Encoder) throws {
            try list.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encodeIfPresent(invitations, forKey: .invitations)
        }
    #endif
}

/// `GET /v1/lists`.
public struct ListsResponse: Hashable, Sendable, Codable {
    public var lists: [ListResponse]
    /// Absent when `lists` is complete. Otherwise the service can't reach a part of its database just now, and these
    /// are lists there that the account's devices have reported. There may be more.
    public var unreachable: [ListID]?

    public init(lists: [ListResponse], unreachable: [ListID]? = nil) {
        self.lists = lists
        self.unreachable = unreachable
    }
}
