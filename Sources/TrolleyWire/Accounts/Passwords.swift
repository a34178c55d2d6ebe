/// `PUT /v1/account/password`.
public struct ChangePasswordRequest: Hashable, Sendable, Codable {
    /// The present password, asked for again so that an unlocked device alone is not enough.
    public var password: String?
    /// Instead of the present password, for a person who signs in by an identity provider.
    public var identityToken: String?
    /// 8 to 200 characters.
    public var newPassword: String

    public init(password: String? = nil, identityToken: String? = nil, newPassword: String) {
        self.password = password
        self.identityToken = identityToken
        self.newPassword = newPassword
    }
}

/// `POST /v1/password`: sets a new password for a person who has forgotten theirs.
public struct ResetPasswordRequest: Hashable, Sendable, Codable {
    public var email: String
    /// The operator's code. It works once.
    public var code: String
    /// 8 to 200 characters.
    public var newPassword: String

    public init(email: String, code: String, newPassword: String) {
        self.email = email
        self.code = code
        self.newPassword = newPassword
    }
}

/// The answer to setting a password.
public struct PasswordResponse: Hashable, Sendable, Codable {
    /// The number of sessions that ended; these devices must sign in again.
    public var sessionsEnded: Int

    public init(sessionsEnded: Int) { self.sessionsEnded = sessionsEnded }
}
