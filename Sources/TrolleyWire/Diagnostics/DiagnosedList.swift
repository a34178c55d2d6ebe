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

    /// An invitation, without its secret.
    public struct Invitation: Hashable, Sendable, Codable {
        /// Whether it is a link for the first person who opens it, and not for a named person.
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

    /// The facts that need no reading of the journal.
    public struct Facts: Hashable, Sendable, Codable {
        public var id: ListID
        public var head: SequenceNumber
        public var createdAt: Timestamp
        /// Entries received before this time are compressed.
        public var compressedUntil: Timestamp?
        /// When the oldest entry was received that compression has not examined.
        public var uncompressedSince: Timestamp?
        /// Live entries, and discarded ones.
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
    /// The digest of the list's state at `head`; nil where the journal was not read.
    public var digest: StateDigest?
    /// The list's name, if it was asked for.
    public var name: String?
    /// The newest entries, in order; nil where the journal was not read.
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
