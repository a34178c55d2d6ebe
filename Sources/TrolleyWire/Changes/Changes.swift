public import TrolleyJournal

/// One change of a list's stream.
public struct Change: Hashable, Sendable {
    public enum Body: Hashable, Sendable {
        case entry(ConfirmedEntry)
        /// The people of the list and what they may do, as it is from here on.
        case share(ShareState)
        /// Entries that compression took out of the journal, and what others follow from now on.
        case discard(ids: [EntryID], anchors: [EntryID: ItemID?])
    }

    public var sequence: SequenceNumber
    public var body: Body

    public init(sequence: SequenceNumber, body: Body) {
        self.sequence = sequence
        self.body = body
    }
}

/// A page of a list's changes: `GET /v1/lists/{id}/changes`.
public struct ChangesPage: Hashable, Sendable {
    /// In the order of their sequence.
    public var changes: [Change]
    /// Stands for all changes up to and including this page's.
    public var token: String
    /// Whether to ask again at once, with this page's token.
    public var moreComing: Bool
    /// The page, and those that follow it, replace what the device had.
    public var snapshot: Bool
    /// What the list is at the page's end, when the device asked for it: so it sees whether it has come to the same.
    public var digest: StateDigest?

    public init(
        changes: [Change], token: String, moreComing: Bool, snapshot: Bool, digest: StateDigest? = nil
    ) {
        self.changes = changes
        self.token = token
        self.moreComing = moreComing
        self.snapshot = snapshot
        self.digest = digest
    }
}

/// `POST /v1/changes`: what is new on all lists, in one trip.
public struct AllChangesRequest: Hashable, Sendable, Codable {
    /// The token of each list that the device has. Lists that it doesn't name come as snapshots.
    public var tokens: [ListID: String]
    /// Changes in the answer at the most, over all lists.
    public var limit: Int?
    /// How the device's queues stand.
    public var report: QueueReport?
    /// Asks for the digest of each list with the last page. Lists with nothing new are answered too then, without changes.
    public var digests: Bool?
    /// Lists that the device has and no token of. They come as snapshots, like those that are new to it; but of these it is
    /// told when the account is no longer on them.
    public var afresh: [ListID]?
    /// Asks for the proof of ownership of each list that the account owns.
    public var ownership: Bool?
    /// The rules that the device folds by: see ``ProtocolVersion``. A device that reports its queues must say it; without it, it
    /// is taken for one of version 1.
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

    /// Whether the device folds by the rules of this version, or does not fold.
    public var isCompatible: Bool {
        (protocolVersion ?? (report == nil ? ProtocolVersion.current : 1)) >= ProtocolVersion.current
    }
}

public struct AllChangesResponse: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        public var page: ChangesPage

        public init(id: ListID, page: ChangesPage) {
            self.id = id
            self.page = page
        }
    }

    /// Lists with something new, among them those that are new to the device.
    public var lists: [List]
    /// Lists whose token can't be honoured: fetch them afresh, without a token.
    public var expired: [ListID]
    /// Lists that the device has and the account is no longer on.
    public var gone: [ListID: ListGoneReason]
    /// Those of `expired` and `gone` that this service has never known the account to be on. The device knows more: the
    /// database is an older copy, or another one.
    public var unknown: [ListID]
    /// Lists that the device has and that the service can't reach just now: nothing is said of them, and they are neither gone nor
    /// without news. Ask again soon.
    public var unreachable: [ListID]
    /// The proof of ownership of each list that the account owns; nil unless it was asked for.
    public var ownership: [ListID: String]?
    /// Whether to ask again at once, with the new tokens.
    public var moreComing: Bool
    /// The rules that the service folds by: see ``ProtocolVersion``. A service that doesn't say it folds by version 1.
    public var protocolVersion = ProtocolVersion.current

    public init(
        lists: [List], expired: [ListID] = [], gone: [ListID: ListGoneReason] = [:], unknown: [ListID] = [],
        unreachable: [ListID] = [], ownership: [ListID: String]? = nil, moreComing: Bool = false
    ) {
        self.lists = lists
        self.expired = expired
        self.gone = gone
        self.unknown = unknown
        self.unreachable = unreachable
        self.ownership = ownership
        self.moreComing = moreComing
    }
}
