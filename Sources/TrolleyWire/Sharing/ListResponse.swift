public import TrolleyJournal

/// A list, as a person on it sees it. Its name and items are in its journal.
public struct ListResponse: Hashable, Sendable, Codable {
    public var id: ListID
    public var role: Role
    public var permission: Permission
    /// The sequence of the newest change; 0 for a list without changes.
    public var head: SequenceNumber
    /// When the list was created. For a list that the service had lost and its owner recovered: when it was first
    /// created.
    public var createdAt: Timestamp
    /// How far this account has read the list, on any device; absent until a device says so.
    public var readThrough: SequenceNumber?
    /// Where the person keeps the list among theirs; absent from a service that doesn't keep it.
    public var place: ListPlace?
    /// Since when the account owns the list; absent for a participant.
    public var ownedSince: Timestamp?
    /// Proves to a service that has lost the list that this account owned it; absent for a participant. Opaque; the
    /// device stores it.
    public var ownership: String?

    public init(
        id: ListID, role: Role, permission: Permission, head: SequenceNumber, createdAt: Timestamp,
        readThrough: SequenceNumber? = nil, place: ListPlace? = nil, ownedSince: Timestamp? = nil,
        ownership: String? = nil
    ) {
        self.id = id
        self.role = role
        self.permission = permission
        self.head = head
        self.createdAt = createdAt
        self.readThrough = readThrough
        self.place = place
        self.ownedSince = ownedSince
        self.ownership = ownership
    }
}
