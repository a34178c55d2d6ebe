public import TrolleyJournal
public import TrolleyWire

/// How a device stands with the service: what a run decides from.
public struct Standing: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        /// Whether the service has the list.
        public var isPublished: Bool
        /// Whether the list is to stay on this device alone until it is shared.
        public var isLocal: Bool
        /// Stands for what the device has of the list's changes.
        public var token: String?
        /// Entries in the upload queue.
        public var waiting: Int
        /// Entries in the to-apply queue.
        public var toApply: Int
        /// Whether what is received waits until the person wants it.
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
    /// Whether there is a list of which the service has not said yet whether the account owns it.
    public var lacksOwnership: Bool

    public init(lists: [List] = [], pace: Pace = Pace(), lacksOwnership: Bool = false) {
        self.lists = lists
        self.pace = pace
        self.lacksOwnership = lacksOwnership
    }

    /// Entries that are to be sent. Those of lists that stay on the device alone are not.
    public var waiting: Int { lists.reduce(0) { $0 + ($1.isLocal ? 0 : $1.waiting) } }
}

/// What became of an entry that was sent.
public struct Verdict: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// It is in the journal, at this place.
        case accepted(SequenceNumber)
        /// It was offered again, and is in the journal already in other words, or isn't this person's to add. The next fetch
        /// brings what is there.
        case known
        /// It will never be.
        case rejected(ProblemCode, String?)
    }

    public var entry: EntryID
    public var outcome: Outcome

    public init(entry: EntryID, outcome: Outcome) {
        self.entry = entry
        self.outcome = outcome
    }
}

/// What a fetch brought.
public struct Receipt: Hashable, Sendable {
    /// Changes that the person has not seen: others' entries, the people of a list, lists that came or went.
    public var news: Int
    /// Lists whose token was refused: what was confirmed lately was offered again, and a snapshot is due.
    public var expired: Int
    /// Unsent entries of lists that are gone: they are with the rejected ones now.
    public var keptAside: Int
    /// Entries that compression has taken away.
    public var discarded: Int
    /// Lists that turned out other than the service's at the same sequence: their token is forgotten, a snapshot is due.
    public var differing: Int
    /// Whether any token moved, or anything else changed.
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
