public import TrolleyJournal

/// The answer to `POST /v1/invitations/look`: what an invitation offers. Changes nothing.
public struct InvitationPreview: Hashable, Sendable, Codable {
    public var list: ListID
    /// The list's name, if it has one.
    public var name: String?
    public var colour: String?
    /// The name of the person who shares it.
    public var owner: String
    public var permission: Permission
    /// Whether this account is on the list already.
    public var accepted: Bool
    /// The texts of the first wanted items, at most ``maxItems``. nil if the service doesn't say: a service of an earlier
    /// version, or a list with very many entries.
    public var items: [String]?
    /// The number of wanted items; nil if `items` is.
    public var wanted: Int?

    /// The number of items that an invitation shows.
    public static let maxItems = 5

    public init(
        list: ListID, name: String?, colour: String?, owner: String, permission: Permission, accepted: Bool,
        items: [String]? = nil, wanted: Int? = nil
    ) {
        self.list = list
        self.name = name
        self.colour = colour
        self.owner = owner
        self.permission = permission
        self.accepted = accepted
        self.items = items
        self.wanted = wanted
    }

    /// Adds the list's first wanted items, in the order in which the list shows them.
    public mutating func show(_ state: ListState) {
        items = state.firstWanted(Self.maxItems).map { $0.text }
        wanted = state.items.count { !$0.markedOff }
    }
}
