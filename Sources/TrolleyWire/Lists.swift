public import TrolleyJournal

/// `POST /v1/lists`. The id comes from the device, so that sending it again makes no second list.
public struct CreateListRequest: Hashable, Sendable, Codable {
    public var id: ListID

    public init(id: ListID) { self.id = id }
}

/// A list, as one of its people sees it. Its name and items are in its journal.
public struct ListResponse: Hashable, Sendable, Codable {
    public var id: ListID
    public var role: Role
    public var permission: Permission
    /// The sequence of the newest change; 0 for a list without any.
    public var head: SequenceNumber
    public var createdAt: Timestamp

    public init(id: ListID, role: Role, permission: Permission, head: SequenceNumber, createdAt: Timestamp) {
        self.id = id
        self.role = role
        self.permission = permission
        self.head = head
        self.createdAt = createdAt
    }
}

/// `GET /v1/lists`.
public struct ListsResponse: Hashable, Sendable, Codable {
    public var lists: [ListResponse]

    public init(lists: [ListResponse]) { self.lists = lists }
}
