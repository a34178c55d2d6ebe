/// `POST /v1/email-codes`: sends a code to an address, which shows that somebody reads its mail.
public struct EmailCodeRequest: Hashable, Sendable, Codable {
    public var email: String

    public init(email: String) { self.email = email }
}

/// `PUT /v1/account/email`: the account has this address from now on, as the code shows.
public struct ChangeEmailRequest: Hashable, Sendable, Codable {
    /// The account's present address, to verify it; or another one, to change it.
    public var email: String
    /// What was sent there.
    public var code: String
    /// Asked for again when the address is another one: a device that lies open must not be enough.
    public var password: String?
    /// In place of the password, for somebody who signs in by an identity provider.
    public var identityToken: String?

    public init(email: String, code: String, password: String? = nil, identityToken: String? = nil) {
        self.email = email
        self.code = code
        self.password = password
        self.identityToken = identityToken
    }
}
