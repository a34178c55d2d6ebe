/// How much somebody may keep. `GET /v1/config` says the ones in force; nil: as much as they like.
///
/// What is too much is `quotaExceeded`, and waiting doesn't help.
public struct Quotas: Hashable, Sendable, Codable {
    /// Entries in a list's journal, without those that compression took out. Beyond it nothing can be added to the list;
    /// marking off, deleting and the like go on, up to twice as many.
    public var entriesPerList: Int?
    /// Lists that one person owns.
    public var listsPerAccount: Int?
    /// Devices that one person is signed in on, without hosted ones. Beyond it signing in ends the sessions of devices that
    /// were not used for 30 days, and is refused when there is none.
    public var devicesPerAccount: Int?
    /// Bytes of the fields, as JSON, of a list's entries, without those that compression took out. Beyond it nothing can be
    /// added to the list; what else has fields goes on, up to twice as many, and what has none always.
    public var bytesPerList: Int?
    /// Bytes of all lists together that one person owns. It may be exceeded by 64 KiB a list.
    public var bytesPerAccount: Int?

    public init(
        entriesPerList: Int? = 50_000, listsPerAccount: Int? = 1000, devicesPerAccount: Int? = 100,
        bytesPerList: Int? = 8 << 20, bytesPerAccount: Int? = 64 << 20
    ) {
        self.entriesPerList = entriesPerList
        self.listsPerAccount = listsPerAccount
        self.devicesPerAccount = devicesPerAccount
        self.bytesPerList = bytesPerList
        self.bytesPerAccount = bytesPerAccount
    }

    /// As much as they like.
    public static let none = Quotas(
        entriesPerList: nil, listsPerAccount: nil, devicesPerAccount: nil, bytesPerList: nil, bytesPerAccount: nil)
}
