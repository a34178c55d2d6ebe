public import TrolleyJournal

/// A page of a list's changes: `GET /v1/lists/{id}/changes`.
public struct ChangesPage: Hashable, Sendable {
    /// By ascending sequence.
    public var changes: [Change]
    /// The change token for all changes up to the end of this page.
    public var token: String
    /// Whether more changes follow: ask again at once, with this page's token.
    public var moreComing: Bool
    /// Whether this page and those that follow replace the device's data.
    public var snapshot: Bool
    /// The digest of the list at the page's end, when the device asked for it, so that the device can compare its own.
    public var digest: StateDigest?
    /// The page's end, if that is behind its last change: what came after was compressed away. nil: the last change's.
    public var through: SequenceNumber?

    public init(
        changes: [Change], token: String, moreComing: Bool, snapshot: Bool, digest: StateDigest? = nil,
        through: SequenceNumber? = nil
    ) {
        self.changes = changes
        self.token = token
        self.moreComing = moreComing
        self.snapshot = snapshot
        self.digest = digest
        self.through = through
    }
}

/// `POST /v1/changes`: the new changes of all lists, in one request.
public struct AllChangesRequest: Hashable, Sendable, Codable {
    /// The token of each list on the device. Lists that are not named here come as snapshots.
    public var tokens: [ListID: String]
    /// The largest number of changes in the answer, over all lists.
    public var limit: Int?
    /// The state of the device's queues.
    public var report: QueueReport?
    /// Asks for the digest of each list, sent with its last page. The answer then includes lists without changes.
    public var digests: Bool?
    /// Lists that the device has without a token. They come as snapshots, like new lists; in addition the answer says
    /// if the account is no longer on them.
    public var afresh: [ListID]?
    /// Asks for the proof of ownership of each list that the account owns.
    public var ownership: Bool?
    /// The version of the rules by which the device folds: see ``ProtocolVersion``. A device that reports its queues
    /// must state it; without it, version 1 is assumed.
    public var protocolVersion: Int?

    public init(
        tokens: [ListID: String], limit: Int? = nil, report: QueueReport? = nil, digests: Bool? = nil,
        afresh: [ListID]? = nil, ownership: Bool? = nil, protocolVersion: Int? = nil
    ) {
        self.tokens = tokens
        self.limit = limit
        self.report = report
        self.digests = digests
        self.afresh = afresh
        self.ownership = ownership
        self.protocolVersion = protocolVersion
    }

    /// The version of the device; of one that doesn't fold, this program's.
    public var deviceVersion: Int { protocolVersion ?? (report == nil ? ProtocolVersion.current : 1) }

    /// Whether the device folds by this version's rules, or doesn't fold.
    public var isCompatible: Bool { deviceVersion >= ProtocolVersion.oldest }
}
