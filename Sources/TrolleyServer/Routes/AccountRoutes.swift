import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Sign-up, and a person's own account.
struct AccountRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let limiter: RateLimiter
    let hasher: PasswordHasher
    let credentials: CredentialCheck
    let registration: Registration
    let limits: Limits

    func addSignUp(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/accounts") { request, context -> Response in
            let wanted = try await request.decode(SignUpRequest.self, limits: limits)
            let email = try EmailAddress(wanted.email)
            let name = try DisplayName.checked(wanted.name, called: "name")
            try NewPassword.check(wanted.password)
            let invitation = wanted.invitation.map { Secret(text: $0).hash }
            switch (registration, invitation) {
            case (.closed, _):
                throw Problem(.permissionFailure, "this service accepts no new accounts; ask its operator")
            case (.invitation, nil): throw StoreError.signUpNeedsInvitation
            default: break
            }
            let account = try await limiter.attempting(email.key, from: context.client) {
                let hash = try await hasher.hash(wanted.password, from: context.client)
                return try await store.createAccount(
                    email: email, name: name, passwordHash: hash.text, invitation: invitation,
                    emailCode: wanted.emailCode.map { OneTimeCode(text: $0).hash })
            }
            if account.emailVerified == true { hub.somethingChanged() }
            return try .json(account, status: .created)
        }
    }

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/account") { _, context -> Response in
            try .json(try await store.account(context.session.account))
        }
        router.delete("v1/account") { request, context -> Response in
            let wanted = try await request.decode(DeleteAccountRequest.self, limits: limits)
            let account = try context.session.account
            guard try await credentials.proven(wanted, of: account, from: context.client) != nil else {
                throw Problem(.permissionFailure, "the password is wrong; nothing was deleted")
            }
            try await store.deleteAccount(account)
            hub.signedOut(account)
            return .noContent
        }
    }
}
