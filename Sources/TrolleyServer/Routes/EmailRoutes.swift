import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct EmailRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limiter: RateLimiter
    let credentials: CredentialCheck
    /// nil when the service sends no mail.
    let mailer: Mailer?
    let limits: Limits

    /// The maximum codes an hour for one address, so that nobody can flood another person's mailbox.
    private static let codesAnHour = 5
    private static let lifetimeOfCodes: Int64 = 3_600_000

    /// Needs no session, because a new person verifies their address before they have an account.
    func addCodes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/email-codes") { request, context -> Response in
            let email = try EmailAddress(try await request.decode(EmailCodeRequest.self, limits: limits).email)
            guard let mailer else {
                throw Problem(
                    .invalidArguments, "this service sends no mail; ask its operator, or the person who invited you")
            }
            let code = OneTimeCode()
            guard let message = MailMessage(code: code.text, to: email) else {
                throw Problem(.invalidArguments, "mail can't be sent to this address")
            }
            // Never given back, because each attempt sends mail. It counts whether or not the address has an account.
            _ = try limiter.attempt(email.key, from: context.client)
            try limiter.admitMail(from: context.client)
            let expiresAt = try await store.createEmailCode(
                hash: code.hash, for: email, lifetime: Self.lifetimeOfCodes, limit: Self.codesAnHour)
            guard expiresAt != nil else {
                throw Problem(
                    .requestRateLimited, "several codes were already sent to this address; use one of them",
                    retryAfter: Int(Self.lifetimeOfCodes / 1000))
            }
            do {
                try await mailer.send(message, from: context.client)
            } catch {
                try await store.deleteEmailCode(hash: code.hash)
                throw error
            }
            return .noContent
        }
    }

    func add(to router: RouterGroup<TrolleyContext>) {
        router.put("v1/account/email") { request, context -> Response in
            let wanted = try await request.decode(ChangeEmailRequest.self, limits: limits)
            let email = try EmailAddress(wanted.email)
            let session = try context.session
            if try await store.account(session.account).email.lowercased() != email.key {
                let proof = DeleteAccountRequest(password: wanted.password, identityToken: wanted.identityToken)
                guard try await credentials.proven(proof, of: session.account, from: context.client) != nil else {
                    throw Problem(.permissionFailure, "the password is wrong; nothing was changed")
                }
            }
            let account = try await limiter.attempting(email.key, from: context.client) {
                try await store.setEmail(email, of: session.account, codeHash: OneTimeCode(text: wanted.code).hash)
            }
            // Another account may have lost the address.
            await store.showChanges(to: hub, context.logger)
            return try .json(account)
        }
    }
}
