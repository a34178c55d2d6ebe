/// `PUT /v1/account/password`.
public struct ChangePasswordRequest: Hashable, Sendable, Codable {
    /// The present one, asked for again: a device that lies open must not be enough.
    public var password: String?
    /// In place of the present password, for somebody who signs in by an identity provider.
    public var identityToken: String?
    /// 8 to 200 characters.
    public var newPassword: String

    public init(password: String? = nil, identityToken: String? = nil, newPassword: String) {
        self.password = password
        self.identityToken = identityToken
        self.newPassword = newPassword
    }
}

/// `POST /v1/password`: sets the password of somebody who has forgotten it.
public struct ResetPasswordRequest: Hashable, Sendable, Codable {
    public var email: String
    /// What the service's operator has made. It works once.
    public var code: String
    /// 8 to 200 characters.
    public var newPassword: String

    public init(email: String, code: String, newPassword: String) {
        self.email = email
        self.code = code
        self.newPassword = newPassword
    }
}

/// The answer to what sets a password.
public struct PasswordResponse: Hashable, Sendable, Codable {
    /// Sessions that ended by it: devices that must sign in again.
    public var sessionsEnded: Int

    public init(sessionsEnded: Int) { self.sessionsEnded = sessionsEnded }
}
