/// An identity provider (OpenID Connect), and the values that its tokens must have.
package struct IdentityProvider: Hashable, Sendable {
    /// The required `iss`.
    package var issuer: String
    /// The audience that `aud` must contain.
    package var audience: String
    /// The path of a JWKS file, or the URL of a JWKS.
    package var keys: String
    /// The leeway for clock differences, in seconds.
    package var leeway = 60.0

    package init(issuer: String, audience: String, keys: String) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
    }

    var keysAreRemote: Bool { keys.hasPrefix("https://") || keys.hasPrefix("http://") }
}

/// The person that a token identifies.
struct Identity: Hashable, Sendable {
    let issuer: String
    let subject: String
    /// nil unless the issuer has verified it.
    let email: String?
    let name: String?
}
