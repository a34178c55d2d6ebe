/// An identity provider (OpenID Connect), and the values that its tokens must have.
package struct IdentityProvider: Hashable, Sendable {
    /// The required `iss`.
    package var issuer: String
    /// The audience that `aud` must contain.
    package var audience: String
    /// The path of a JWKS file, or the URL of a JWKS.
    package var keys: String
    /// How people sign in with a browser; nil: the service takes only tokens that apps have fetched.
    package var browsers: Browsers?
    /// The leeway for clock differences, in seconds.
    package var leeway = 60.0

    package init(issuer: String, audience: String, keys: String) {
        self.issuer = issuer
        self.audience = audience
        self.keys = keys
    }

    /// Signing in with a browser: the service is a client of the provider, with ``audience`` as its `client_id`.
    package struct Browsers: Hashable, Sendable {
        /// What people call the provider.
        package var name: String
        /// The client's secret; nil: a public client.
        package var secret: String?

        package init(name: String, secret: String? = nil) {
            self.name = name
            self.secret = secret
        }
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
