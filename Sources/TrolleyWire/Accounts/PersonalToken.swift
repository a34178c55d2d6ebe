public import TrolleyJournal

/// `POST /v1/tokens`.
public struct PersonalTokenRequest: Hashable, Sendable, Codable {
    /// What the Activity calls the program that uses it, such as 'Ann's Thunderbird'.
    public var name: String
    /// Whether it only reads; nil: it changes lists, too.
    public var readOnly: Bool?
    /// The lists that it opens, at most 100; nil: all of the account's, also later ones.
    public var lists: [ListID]?
    /// When it ends; nil: when it is revoked.
    public var expiresAt: Timestamp?

    public init(name: String, readOnly: Bool? = nil, lists: [ListID]? = nil, expiresAt: Timestamp? = nil) {
        self.name = name
        self.readOnly = readOnly
        self.lists = lists
        self.expiresAt = expiresAt
    }
}

/// A personal token of the account.
public struct PersonalTokenResponse: Hashable, Sendable, Codable {
    /// The device that its entries name.
    public var id: DeviceID
    public var name: String
    public var readOnly: Bool
    /// nil: all lists of the account.
    public var lists: [ListID]?
    public var createdAt: Timestamp
    /// When it was last used, to the minute; nil: never.
    public var lastUsedAt: Timestamp?
    /// nil: when it is revoked.
    public var expiresAt: Timestamp?
    /// The token itself, which is also an app password. Only in the answer that makes it.
    public var token: String?

    public init(
        id: DeviceID, name: String, readOnly: Bool, lists: [ListID]?, createdAt: Timestamp,
        lastUsedAt: Timestamp? = nil, expiresAt: Timestamp? = nil, token: String? = nil
    ) {
        self.id = id
        self.name = name
        self.readOnly = readOnly
        self.lists = lists
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.expiresAt = expiresAt
        self.token = token
    }
}

/// `GET /v1/tokens`: the account's personal tokens, oldest first.
public struct PersonalTokensResponse: Hashable, Sendable, Codable {
    public var tokens: [PersonalTokenResponse]

    public init(tokens: [PersonalTokenResponse]) { self.tokens = tokens }
}
