public import TrolleyJournal

/// `POST /v1/lists`. The id comes from the device, so that sending it again makes no second list.
public struct CreateListRequest: Hashable, Sendable, Codable {
    public var id: ListID
    /// Shares the list in the same step, so that it is never there without its share. Its items follow as entries.
    /// (Seed 002, part 4.)
    public var share: NewShare?
    /// The proof that the account owned the list, as the service told it: for a service that was restored from an older copy
    /// and has lost the list, or knows it as somebody else's.
    public var ownership: String?
    /// With `ownership`: who was on the list. Somebody who made the lost list in the meantime is what this says of them.
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

/// Whom a list is shared with from the beginning.
public struct NewShare: Hashable, Sendable, Codable {
    public var invitations: [InvitationRequest]

    public init(invitations: [InvitationRequest]) { self.invitations = invitations }
}

/// The answer to `POST /v1/lists`: the list and, when it was made with its share, the invitations in the request's order.
public struct CreateListResponse: Hashable, Sendable, Codable {
    public var list: ListResponse
    public var invitations: [InvitationResponse]?

    public init(list: ListResponse, invitations: [InvitationResponse]? = nil) {
        self.list = list
        self.invitations = invitations
    }

    private enum CodingKeys: CodingKey { case invitations }

    // The list's members and `invitations` stand side by side.
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

/// A list, as one of its people sees it. Its name and items are in its journal.
public struct ListResponse: Hashable, Sendable, Codable {
    public var id: ListID
    public var role: Role
    public var permission: Permission
    /// The sequence of the newest change; 0 for a list without any.
    public var head: SequenceNumber
    /// When the list was made. Of one that the service had lost and that its owner brought back: when it was made at first.
    public var createdAt: Timestamp
    /// How far this account has read the list, on whatever device; absent until it said so.
    public var readThrough: SequenceNumber?
    /// Since when the account has owned the list; absent for a participant.
    public var ownedSince: Timestamp?
    /// Proves to a service that has lost the list that this account owned it; absent for a participant. Opaque, and kept by
    /// the device.
    public var ownership: String?

    public init(
        id: ListID, role: Role, permission: Permission, head: SequenceNumber, createdAt: Timestamp,
        readThrough: SequenceNumber? = nil, ownedSince: Timestamp? = nil, ownership: String? = nil
    ) {
        self.id = id
        self.role = role
        self.permission = permission
        self.head = head
        self.createdAt = createdAt
        self.readThrough = readThrough
        self.ownedSince = ownedSince
        self.ownership = ownership
    }
}

/// `GET /v1/lists`.
public struct ListsResponse: Hashable, Sendable, Codable {
    public var lists: [ListResponse]
    /// Absent when these are all. Else the service can't reach a part of its database just now, and these are some of the lists
    /// there: those that the account's devices have reported. There may be more.
    public var unreachable: [ListID]?

    public init(lists: [ListResponse], unreachable: [ListID]? = nil) {
        self.lists = lists
        self.unreachable = unreachable
    }
}
