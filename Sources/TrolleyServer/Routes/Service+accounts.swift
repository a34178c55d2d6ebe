import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

extension Service {
    func addAccountRoutes(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/accounts") { request, context -> Response in
            let wanted = try await request.decode(SignUpRequest.self, limits: limits)
            let email = try EmailAddress(wanted.email)
            let name = try displayName(wanted.name, called: "name")
            try check(newPassword: wanted.password)
            let invitation = wanted.invitation.map { Secret(text: $0).hash }
            switch (configuration.registration, invitation) {
            case (.closed, _):
                throw Problem(.permissionFailure, "this service takes no new accounts; ask whoever runs it")
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

        router.post("v1/sessions") { request, context -> Response in
            let form = try await request.decode(SessionForm.self, limits: limits)
            let deviceName = try displayName(form.deviceName ?? "A device", called: "deviceName")
            let account: AccountResponse
            var passwordHash: String?
            if let token = form.identityToken {
                account = try await self.account(identifiedBy: token, from: context.client)
            } else {
                let found = try await self.account(with: try form.credentials, from: context.client)
                (account, passwordHash) = (found.0, found.passwordHash)
            }
            let secret = Secret()
            let device: DeviceResponse
            do {
                device = try await store.createDevice(
                    account: account.id, name: deviceName, tokenHash: secret.hash, passwordHash: passwordHash,
                    quota: configuration.quotas.devicesPerAccount)
            } catch StoreError.passwordChanged {
                throw Problem(.notAuthenticated, "no account has this email and password")
            }
            return try .json(SessionResponse(token: secret.text, account: account, device: device), status: .created)
        }
        addPasswordResetRoute(to: router)
        addEmailCodeRoute(to: router)
    }

    private func account(
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
        guard let verifier = identity else {
            throw Problem(.invalidArguments, "this service takes no identity tokens; sign in with email and password")
        }
        return try await limiter.attempting(nil, from: client) {
            let found: Identity?
            do { found = try await verifier.identity(from: token) } catch {
                throw Problem(.serviceUnavailable, "the identity provider's keys can't be had just now", retryAfter: 30)
            }
            guard let found else { throw Problem(.notAuthenticated, "the identity token is not valid here") }
            return found
        }
    }

    /// The account of whom an identity provider vouches for; it is made when they come for the first time.
    private func account(identifiedBy token: String, from client: IPAddress?) async throws -> AccountResponse {
        let found = try await identity(in: token, from: client)
        if let account = try await store.account(issuer: found.issuer, subject: found.subject) { return account }
        guard configuration.registration == .open else {
            throw Problem(.permissionFailure, "this service takes no new accounts in this way; ask whoever runs it")
        }
        guard let email = found.email else {
            throw Problem(.permissionFailure, "the identity provider has not verified an email address of yours")
        }
        return try await store.createAccount(
            issuer: found.issuer, subject: found.subject, email: try EmailAddress(email),
            name: (try? displayName(found.name ?? "", called: "name")) ?? String(email.prefix(100)),
            passwordHash: PasswordHash.unmatchable(cost: configuration.passwordCost).text)
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

    func addDeviceRoutes(to router: RouterGroup<TrolleyContext>) {
        addPasswordRoute(to: router)
        addEmailRoute(to: router)
        router.delete("v1/session") { _, context -> Response in
            try await store.signOut(device: context.session.device, account: context.session.account)
            hub.signedOut(try context.session.device)
            return .noContent
        }
        router.get("v1/account") { _, context -> Response in
            try .json(try await store.account(context.session.account))
        }
        router.delete("v1/account") { request, context -> Response in
            let wanted = try await request.decode(DeleteAccountRequest.self, limits: limits)
            let account = try context.session.account
            guard try await proven(wanted, of: account, from: context.client) != nil else {
                throw Problem(.permissionFailure, "that is not the account's password; nothing was deleted")
            }
            try await store.deleteAccount(account)
            hub.signedOut(account)
            return .noContent
        }
        router.get("v1/devices") { _, context -> Response in
            try .json(DevicesResponse(devices: try await store.devices(seenBy: context.session)))
        }
        router.delete("v1/devices/:device") { _, context -> Response in
            let device: DeviceID = try context.identifier("device", otherwise: .unknownItem)
            try await store.signOut(device: device, account: context.session.account)
            hub.signedOut(device)
            return .noContent
        }
    }

    /// A name that a person gave, without white space around it. What is counted is code points, as JSON Schema does: one
    /// character as Swift counts can be megabytes of combining marks.
    func displayName(_ text: String, called field: String) throws -> String {
        let name = text.trimmed
        guard (1...100).contains(name.unicodeScalars.count), !name.unicodeScalars.contains("\0") else {
            throw Problem(.invalidArguments, "\(field) must have 1 to 100 characters")
        }
        return name
    }
}

/// `POST /v1/sessions`: email and password, or an identity token.
private struct SessionForm: Decodable {
    let email: String?
    let password: String?
    let identityToken: String?
    let deviceName: String?

    var credentials: SignInRequest {
        get throws(Problem) {
            guard let email, let password else {
                throw Problem(.invalidArguments, "email and password, or identityToken, are missing")
            }
            return SignInRequest(email: email, password: password, deviceName: deviceName)
        }
    }
}
