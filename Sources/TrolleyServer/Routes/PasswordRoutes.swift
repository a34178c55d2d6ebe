import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct PasswordRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limiter: RateLimiter
    let hasher: PasswordHasher
    let credentials: CredentialCheck
    let limits: Limits

    /// For a person who has forgotten their password and has no session.
    func addReset(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/password") { request, context -> Response in
            let wanted = try await request.decode(ResetPasswordRequest.self, limits: limits)
            try NewPassword.check(wanted.newPassword)
            // An invalid address and an unknown one get the same answer as a wrong code.
            let email = EmailAddress(unchecked: wanted.email.trimmed)
            let code = OneTimeCode(text: wanted.code).hash
            let ended = try await limiter.attempting(email.key, from: context.client) {
                guard try await store.canResetPassword(of: email, codeHash: code) else {
                    throw Problem(.permissionFailure, "this code was used, is too old, or is not for this address")
                }
                let hash = try await hasher.hash(wanted.newPassword, from: context.client)
                return try await store.resetPassword(of: email, codeHash: code, to: hash.text)
            }
            hub.signedOut(ended)
            return try .json(PasswordResponse(sessionsEnded: ended.count))
        }
    }

    func add(to router: RouterGroup<TrolleyContext>) {
        router.put("v1/account/password") { request, context -> Response in
            let wanted = try await request.decode(ChangePasswordRequest.self, limits: limits)
            try NewPassword.check(wanted.newPassword)
            let session = try context.session
            let proof = DeleteAccountRequest(password: wanted.password, identityToken: wanted.identityToken)
            guard let present = try await credentials.proven(proof, of: session.account, from: context.client) else {
                throw Problem(.permissionFailure, "the password is wrong; nothing was changed")
            }
            let hash = try await hasher.hash(wanted.newPassword, from: context.client)
            let ended = try await store.changePassword(of: session, from: present, to: hash.text)
            hub.signedOut(ended)
            return try .json(PasswordResponse(sessionsEnded: ended.count))
        }
    }
}
