import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Tells whose email and password, or whose identity token, a request brings. Every try counts against the limits.
struct CredentialCheck: Sendable {
    let store: Store
    let limiter: RateLimiter
    let hasher: PasswordHasher
    /// nil: the service takes no identity tokens.
    let identities: IdentityVerifier?
    let registration: Registration
    let passwordCost: PasswordHash.Cost

    /// The account that an email and a password belong to.
    /// - Throws: `Problem` (`notAuthenticated`, `requestRateLimited`), `StoreError`.
    func account(
        with credentials: SignInRequest, from client: IPAddress?
    ) async throws -> (AccountResponse, passwordHash: String) {
        // An address that can't be one, and one that nobody has, take as long and say the same as a wrong password.
        let email = EmailAddress(unchecked: credentials.email.trimmed)
        return try await limiter.attempting(email.key, from: client) {
            let found = try await store.passwordHash(of: email)
            let isRight = try await hasher.verify(
                credentials.password, against: found.map { PasswordHash(stored: $0.passwordHash) }, from: client)
            guard isRight, let found else {
                throw Problem(.notAuthenticated, "no account has this email and password")
            }
            limiter.succeeded(email.key, from: client)
            return (found.account, found.passwordHash)
        }
    }

    /// Whom an identity provider vouches for.
    private func identity(in token: String, from client: IPAddress?) async throws -> Identity {
        guard let identities else {
            throw Problem(.invalidArguments, "this service takes no identity tokens; sign in with email and password")
        }
        return try await limiter.attempting(nil, from: client) {
            let found: Identity?
            do { found = try await identities.identity(from: token) } catch {
                throw Problem(.serviceUnavailable, "the identity provider's keys can't be had just now", retryAfter: 30)
            }
            guard let found else { throw Problem(.notAuthenticated, "the identity token is not valid here") }
            return found
        }
    }

    /// The account of whom an identity provider vouches for; it is made when they come for the first time.
    func account(identifiedBy token: String, from client: IPAddress?) async throws -> AccountResponse {
        let found = try await identity(in: token, from: client)
        if let account = try await store.account(issuer: found.issuer, subject: found.subject) { return account }
        guard registration == .open else {
            throw Problem(.permissionFailure, "this service takes no new accounts in this way; ask whoever runs it")
        }
        guard let email = found.email else {
            throw Problem(.permissionFailure, "the identity provider has not verified an email address of yours")
        }
        return try await store.createAccount(
            issuer: found.issuer, subject: found.subject, email: try EmailAddress(email),
            name: (try? DisplayName.checked(found.name ?? "", called: "name")) ?? String(email.prefix(100)),
            passwordHash: PasswordHash.unmatchable(cost: passwordCost).text)
    }

    /// Looks whether a request shows once more that it comes from the account's person.
    /// - Returns: the stored hash of the account's password; nil when it shows no such thing.
    func proven(
        _ request: DeleteAccountRequest, of account: AccountID, from client: IPAddress?
    ) async throws -> String? {
        if let token = request.identityToken {
            let found = try await identity(in: token, from: client)
            guard try await store.account(issuer: found.issuer, subject: found.subject)?.id == account else {
                return nil
            }
            return try await store.passwordHash(of: account)
        }
        guard let password = request.password else {
            throw Problem(.invalidArguments, "password, or identityToken, is missing")
        }
        return try await limiter.attempting("\(account)", from: client) {
            let stored = try await store.passwordHash(of: account)
            let isRight = try await hasher.verify(
                password, against: stored.map { PasswordHash(stored: $0) }, from: client)
            guard isRight else { return nil }
            limiter.succeeded("\(account)", from: client)
            return stored
        }
    }
}
