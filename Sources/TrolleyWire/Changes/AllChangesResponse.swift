public import TrolleyJournal

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
