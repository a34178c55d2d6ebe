/// `POST /v1/email-codes`: mails a code to an address, to verify it.
public struct EmailCodeRequest: Hashable, Sendable, Codable {
    public var email: String

    public init(email: String) { self.email = email }
}

/// `PUT /v1/account/email`: verifies the account's address, or changes it, by a code.
public struct ChangeEmailRequest: Hashable, Sendable, Codable {
    /// The account's present address, to verify it; another address, to change it.
    public var email: String
    /// The code that was mailed to the address.
    public var code: String
    /// The account's password; needed when the address changes, so that an unlocked device alone is not enough.
    public var password: String?
    /// Instead of the password, for a person who signs in by an identity provider.
    public var identityToken: String?

    public init(email: String, code: String, password: String? = nil, identityToken: String? = nil) {
        self.email = email
        self.code = code
        self.password = password
        self.identityToken = identityToken
    }
}
