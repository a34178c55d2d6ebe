import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Checks the credentials of a request: email and password, or an identity token. Every attempt counts against the
/// limits.
struct CredentialCheck: Sendable {
    let store: Store
    let limiter: RateLimiter
    let hasher: PasswordHasher
    /// nil when the service accepts no identity tokens.
    let identities: IdentityVerifier?
    let registration: Registration
    let passwordCost: PasswordHash.Cost

    /// Returns the account with this email and password.
    /// - Throws: `Problem` (`notAuthenticated`, `requestRateLimited`), `StoreError`.
    func account(
        with credentials: SignInRequest, from client: IPAddress?
    ) async throws -> (AccountResponse, passwordHash: String) {
        // An invalid address and an unknown one take as long as a wrong password, and get the same answer.
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

    /// Verifies an identity token.
    private func identity(
        in token: String, nonce: String? = nil, from client: IPAddress?
    ) async throws -> Identity {
        guard let identities else {
            throw Problem(.invalidArguments, "this service accepts no identity tokens; sign in with email and password")
        }
        return try await limiter.attempting(nil, from: client) {
            let found: Identity?
            do { found = try await identities.identity(from: token, nonce: nonce) } catch {
                throw Problem(.serviceUnavailable, "the identity provider's keys are not available", retryAfter: 30)
            }
            guard let found else { throw Problem(.notAuthenticated, "the identity token is not valid here") }
            return found
        }
    }

    /// Returns the account for an identity token. Creates the account on the first sign-in.
    /// - Parameters:
    ///   - nonce: the one that the token must have; nil: any or none.
    ///   - complete: asks the provider for what a token without an address doesn't say. Called for a new account.
    func account(
        identifiedBy token: String, nonce: String? = nil, from client: IPAddress?,
        complete: (Identity) async throws -> Identity = { $0 }
    ) async throws -> AccountResponse {
        var found = try await identity(in: token, nonce: nonce, from: client)
        if let account = try await store.account(issuer: found.issuer, subject: found.subject) { return account }
        guard registration == .open else {
            throw Problem(.permissionFailure, "this service accepts no new accounts in this way; ask its operator")
        }
        if found.email == nil { found = try await complete(found) }
        guard let email = found.email else {
            throw Problem(.permissionFailure, "the identity provider has not verified your email address")
        }
        return try await store.createAccount(
            issuer: found.issuer, subject: found.subject, email: try EmailAddress(email),
            name: (try? DisplayName.checked(found.name ?? "", called: "name")) ?? String(email.prefix(100)),
            passwordHash: PasswordHash.unmatchable(cost: passwordCost).text)
    }

    /// Checks that a request proves again that it comes from the account's person.
    /// - Returns: the stored hash of the account's password; nil when the proof is wrong.
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
            throw Problem(.invalidArguments, "password or identityToken is missing")
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
