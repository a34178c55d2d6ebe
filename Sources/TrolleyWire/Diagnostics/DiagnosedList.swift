public import TrolleyJournal

/// A list in the service's diagnostics.
public struct DiagnosedList: Hashable, Sendable {
    public struct Member: Hashable, Sendable, Codable {
        public var account: AccountID
        public var role: Role
        public var permission: Permission
        public var joinedAt: Timestamp

        public init(account: AccountID, role: Role, permission: Permission, joinedAt: Timestamp) {
            self.account = account
            self.role = role
            self.permission = permission
            self.joinedAt = joinedAt
        }
    }

    /// An invitation, without what opens it.
    public struct Invitation: Hashable, Sendable, Codable {
        /// Whether it is a link for whoever comes first, not for a named person.
        public var isLink: Bool
        public var email: String?
        public var permission: Permission
        public var createdAt: Timestamp
        public var expiresAt: Timestamp?
        public var isUsed: Bool

        public init(
            isLink: Bool, email: String?, permission: Permission, createdAt: Timestamp, expiresAt: Timestamp?,
            isUsed: Bool
        ) {
            self.isLink = isLink
            self.email = email
            self.permission = permission
            self.createdAt = createdAt
            self.expiresAt = expiresAt
            self.isUsed = isUsed
        }
    }

    /// What is known without looking into the journal.
    public struct Facts: Hashable, Sendable, Codable {
        public var id: ListID
        public var head: SequenceNumber
        public var createdAt: Timestamp
        /// What was received before is compressed.
        public var compressedUntil: Timestamp?
        /// When the oldest entry was received that compression has not looked at.
        public var uncompressedSince: Timestamp?
        /// Entries in the journal, and those that compression took out of it.
        public var live: Int64
        public var discarded: Int64

        public init(
            id: ListID, head: SequenceNumber, createdAt: Timestamp, compressedUntil: Timestamp?,
            uncompressedSince: Timestamp?, live: Int64, discarded: Int64
        ) {
            self.id = id
            self.head = head
            self.createdAt = createdAt
            self.compressedUntil = compressedUntil
            self.uncompressedSince = uncompressedSince
            self.live = live
            self.discarded = discarded
        }
    }

    public var facts: Facts
    public var members: [Member]
    public var invitations: [Invitation]
    /// Of what the list shows at `head`; nil where the journal was not looked into.
    public var digest: StateDigest?
    /// What the list is called, where that was asked for.
    public var name: String?
    /// The newest entries, in order; nil where the journal was not looked into.
    public var entries: [DumpedEntry]?

    public init(
        facts: Facts, members: [Member] = [], invitations: [Invitation] = [], digest: StateDigest? = nil,
        name: String? = nil, entries: [DumpedEntry]? = nil
    ) {
        self.facts = facts
        self.members = members
        self.invitations = invitations
        self.digest = digest
        self.name = name
        self.entries = entries
    }
}
