/// How much somebody may keep. `GET /v1/config` says the ones in force; nil: as much as they like.
///
/// What is too much is `quotaExceeded`, and waiting doesn't help.
public struct Quotas: Hashable, Sendable, Codable {
    /// Entries in a list's journal, without those that compression took out. Beyond it nothing can be added to the list;
    /// marking off, deleting and the like go on, up to twice as many.
    public var entriesPerList: Int?
    /// Lists that one person owns.
    public var listsPerAccount: Int?

    public init(entriesPerList: Int? = 50_000, listsPerAccount: Int? = 1000) {
        self.entriesPerList = entriesPerList
        self.listsPerAccount = listsPerAccount
    }
}
