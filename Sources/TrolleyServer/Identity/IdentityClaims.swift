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
    /// What the service has sent with the question that this token answers.
    let nonce: String?

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, exp, nbf, email, name, nonce
        case emailVerified = "email_verified"
    }

    /// ``identity(for:at:)`` checks the times, with a leeway.
    func verify(using algorithm: some JWTAlgorithm) throws {}

    /// - Parameters:
    ///   - nonce: the one that the token must have; nil: any or none.
    ///   - now: seconds since 1970.
    /// - Returns: nil when the token is from another issuer, for another audience, not valid at this time, or the answer to
    ///   another question.
    func identity(for provider: IdentityProvider, nonce: String?, at now: Double) -> Identity? {
        guard nonce == nil || nonce == self.nonce, iss == provider.issuer, aud.value.contains(provider.audience),
            (1...255).contains(sub.utf8.count),
            !sub.utf8.contains(0),
            now < exp + provider.leeway, nbf.map({ $0 - provider.leeway <= now }) ?? true
        else { return nil }
        return Identity(issuer: iss, subject: sub, email: emailVerified == true ? email : nil, name: name)
    }
}
