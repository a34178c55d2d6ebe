/// Limits on stored data. `GET /v1/config` contains the quotas in force; nil: unlimited.
///
/// Beyond a quota the code is `quotaExceeded`; waiting doesn't help.
public struct Quotas: Hashable, Sendable, Codable {
    /// Live entries of a list. Beyond it nothing can be added to the list; other changes, such as marking off and
    /// deleting, are accepted up to twice this number.
    public var entriesPerList: Int?
    /// Lists that one account owns.
    public var listsPerAccount: Int?
    /// Devices on which one account is signed in, without hosted ones. Beyond it, signing in ends the sessions of
    /// devices that were not used for 30 days, and is refused when there are none.
    public var devicesPerAccount: Int?
    /// Bytes of the fields of a list's live entries, as JSON. Beyond it nothing can be added to the list; other changes
    /// with fields are accepted up to twice this number, and changes without fields always.
    public var bytesPerList: Int?
    /// Bytes of all lists that one account owns. It may be exceeded by 64 KiB per list.
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

    /// No quotas.
    public static let none = Quotas(
        entriesPerList: nil, listsPerAccount: nil, devicesPerAccount: nil, bytesPerList: nil, bytesPerAccount: nil)
}
