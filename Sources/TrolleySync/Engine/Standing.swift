public import TrolleyJournal
public import TrolleyWire

/// The state of a device's store, from which a run decides.
public struct Standing: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        /// Whether the service has the list.
        public var isPublished: Bool
        /// Whether the list stays on this device alone until it is shared.
        public var isLocal: Bool
        /// The list's change token.
        public var token: String?
        /// The number of entries in the upload queue.
        public var waiting: Int
        /// The number of entries in the to-apply queue.
        public var toApply: Int
        /// Whether shopping mode is on, so that received changes wait.
        public var isShopping: Bool

        public init(
            id: ListID, isPublished: Bool, isLocal: Bool = false, token: String? = nil, waiting: Int = 0,
            toApply: Int = 0, isShopping: Bool = false
        ) {
            self.id = id
            self.isPublished = isPublished
            self.isLocal = isLocal
            self.token = token
            self.waiting = waiting
            self.toApply = toApply
            self.isShopping = isShopping
        }
    }

    public var lists: [List]
    public var pace: Pace
    /// Whether the service has not yet said of some list whether the account owns it.
    public var lacksOwnership: Bool

    public init(lists: [List] = [], pace: Pace = Pace(), lacksOwnership: Bool = false) {
        self.lists = lists
        self.pace = pace
        self.lacksOwnership = lacksOwnership
    }

    /// The number of entries to send, without lists that stay on this device alone.
    public var waiting: Int { lists.reduce(0) { $0 + ($1.isLocal ? 0 : $1.waiting) } }
}

/// The outcome of an entry that was sent.
public struct Verdict: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// The entry is in the journal, at this sequence.
        case accepted(SequenceNumber)
        /// The entry was offered again, and the journal has its id with other content, or the person may not add it.
        /// The next fetch brings the journal's version.
        case known
        /// The service has rejected the entry for good.
        case rejected(ProblemCode, String?)
    }

    public var entry: EntryID
    public var outcome: Outcome

    public init(entry: EntryID, outcome: Outcome) {
        self.entry = entry
        self.outcome = outcome
    }
}

/// The result of storing a fetch.
public struct Receipt: Hashable, Sendable {
    /// Changes that are new to the person: other people's entries, changes of the share, lists that came or went.
    public var news: Int
    /// Lists whose token was refused. Recently confirmed entries are offered again, and a snapshot is due.
    public var expired: Int
    /// Unsent entries of lists that are gone. They are among the rejected entries now.
    public var keptAside: Int
    /// Entries that compression has discarded.
    public var discarded: Int
    /// Lists whose digest differed from the service's at the same sequence. Their token was deleted, and a snapshot is
    /// due.
    public var differing: Int
    /// Whether a token or anything else changed.
    public var progressed: Bool

    public init(
        news: Int = 0, expired: Int = 0, keptAside: Int = 0, discarded: Int = 0, differing: Int = 0,
        progressed: Bool = false
    ) {
        self.news = news
        self.expired = expired
        self.keptAside = keptAside
        self.discarded = discarded
        self.differing = differing
        self.progressed = progressed
    }
}
