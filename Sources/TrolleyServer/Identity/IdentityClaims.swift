import JWTKit

/// The claims of an identity token that the service uses (OpenID Connect Core 1.0 §2 and §5.1).
struct IdentityClaims: JWTPayload {
    let iss: String
    let sub: String
    let aud: AudienceClaim
    let exp: Double
    let nbf: Double?
    let email: String?
    let emailVerified: Bool?
    let name: String?

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, nbf, email, name
        case emailVerified = "email_verified"
    }

    /// ``identity(for:at:)`` checks the times, with a leeway.
    func verify(using algorithm: some JWTAlgorithm) throws {}

    /// - Parameter now: seconds since 1970.
    /// - Returns: nil when the token is from another issuer, for another audience, or not valid at this time.
    func identity(for provider: IdentityProvider, at now: Double) -> Identity? {
        guard iss == provider.issuer, aud.value.contains(provider.audience), (1...255).contains(sub.utf8.count),
            !sub.utf8.contains(0),
            now < exp + provider.leeway, nbf.map({ $0 - provider.leeway <= now }) ?? true
        else { return nil }
        return Identity(issuer: iss, subject: sub, email: emailVerified == true ? email : nil, name: name)
    }
}
