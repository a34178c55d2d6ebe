#if !hasFeature(Embedded)
    public import TrolleyJournal
#endif

/// The result of storing a fetch.
public struct FetchOutcome: Hashable, Sendable {
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
    #if !hasFeature(Embedded)
        /// Lists that could not be stored, while the others were. They are as they were before. A browser stores an answer whole.
        public var unstored: [ListID] = []
    #endif

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
