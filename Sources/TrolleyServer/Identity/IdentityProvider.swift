/// Who vouches for people (OpenID Connect), and what its tokens must say.
public struct IdentityProvider: Hashable, Sendable {
    /// `iss`.
    public var issuer: String
    /// One of `aud`.
    public var audience: String
    /// A file with a JWKS, or the address of one.
    public var keys: String
    /// Seconds that clocks may be apart.
    public var leeway = 60.0

    public init(issuer: String, audience: String, keys: String) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
    }

    var keysAreRemote: Bool { keys.hasPrefix("https://") || keys.hasPrefix("http://") }
}

/// Whom a token is about, as its issuer says.
struct Identity: Hashable, Sendable {
    let issuer: String
    let subject: String
    /// nil unless the issuer has verified it.
    let email: String?
    let name: String?
}
