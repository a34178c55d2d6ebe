public import TrolleyJournal

/// An account, as its person sees it.
public struct AccountResponse: Hashable, Sendable, Codable {
    public var id: AccountID
    public var email: String
    public var name: String
    public var createdAt: Timestamp
    /// Whether the address is verified; nil from a service that doesn't say.
    public var emailVerified: Bool?
    /// True for an account that may see the operator's page; nil for all others.
    public var `operator`: Bool?
    /// The colour of the person's picture, as they have chosen it; nil: the apps choose one.
    public var colour: String?

    public init(
        id: AccountID, email: String, name: String, createdAt: Timestamp, emailVerified: Bool? = nil,
        operator isOperator: Bool? = nil, colour: String? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.createdAt = createdAt
        self.emailVerified = emailVerified
        self.operator = isOperator
        self.colour = colour
    }
}
