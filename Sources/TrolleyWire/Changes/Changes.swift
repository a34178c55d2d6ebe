public import TrolleyJournal

/// One change of a list's stream.
public struct Change: Hashable, Sendable {
    public enum Body: Hashable, Sendable {
        case entry(ConfirmedEntry)
        /// The share's new state: the people of the list and their permissions.
        case share(ShareState)
        /// Entries that compression discarded, and new anchors for others.
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

    /// Whether the device folds by this version's rules, or doesn't fold.
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

    /// Lists with new changes, including lists that are new to the device.
    public var lists: [List]
    /// Lists whose token is refused: fetch them again without a token.
    public var expired: [ListID]
    /// Lists on the device that the account is no longer on.
    public var gone: [ListID: ListGoneReason]
    /// Lists in `expired` and `gone` that the account was never on, as far as this service knows. The database may be
    /// an older copy, or another one.
    public var unknown: [ListID]
    /// Lists on the device that the service can't reach just now. They are not gone, and may have changes. Ask again
    /// soon.
    public var unreachable: [ListID]
    /// The proof of ownership of each list that the account owns; nil unless it was asked for.
    public var ownership: [ListID: String]?
    /// Whether more changes follow: ask again at once, with the new tokens.
    public var moreComing: Bool
    /// The version of the rules by which the service folds: see ``ProtocolVersion``. Version 1 if the answer lacks it.
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
