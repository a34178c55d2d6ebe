import Hummingbird
import Logging
import NIOCore
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
            let form = try await request.decode(SignUpForm.self, limits: limits)
            let wanted = form.request
            if form.wantsCookie { try RequestOrigin.check(request, isSecure: context.isSecure) }
            let deviceName = try DisplayName.checked(form.deviceName ?? "A device", called: "deviceName")
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
            let secret = Secret()
            // One transaction: after a failure, the same request can be sent again.
            let (account, device) = try await limiter.attempting(email.key, from: context.client) {
                let hash = try await hasher.hash(wanted.password, from: context.client)
                return try await store.signUp(
                    email: email, name: name, passwordHash: hash.text, invitation: invitation,
                    emailCode: wanted.emailCode.map { OneTimeCode(text: $0).hash },
                    device: form.wantsCookie ? (deviceName, secret.hash) : nil)
            }
            // Another account may have lost the address.
            if account.emailVerified == true { await store.showChanges(to: hub, context.logger) }
            guard let device else { return try .json(account, status: .created) }
            return try .json(SignedUpResponse(account: account, device: device), status: .created)
                .settingCookie(secret.text, sessionIdle: store.sessionIdle, in: context)
        }
    }

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/account") { _, context -> Response in
            let response = try Response.json(try await store.account(context.session.account))
            // Renew the cookie, so that a used browser keeps its session as long as any other device.
            guard let token = context.cookieToken else { return response }
            return response.settingCookie(token, sessionIdle: store.sessionIdle, in: context)
        }
        router.patch("v1/account") { request, context -> Response in
            let wanted = try await request.decode(ChangeAccountRequest.self, limits: limits)
            let name = try wanted.name.map { try DisplayName.checked($0, called: "name") }
            let colour = try wanted.colour.map(Self.checkedColour)
            // Each of the account's lists gets a new state of its share.
            try limiter.admitShareChange(by: context.session.account)
            let account = try await store.change(context.session.account, name: name, colour: colour)
            await store.showChanges(of: account.id, to: hub, context.logger)
            return try .json(account)
        }
        router.delete("v1/account") { request, context -> Response in
            let session = try context.session
            let bytes = try await request.body(upTo: limits)
            let proof =
                try bytes.readableBytes == 0 ? DeleteAccountRequest() : bytes.decode(DeleteAccountRequest.self)
            try await check(proof, of: session, from: context.client)
            try await store.beginDeletion(of: session.account)
            hub.signedOut(session.account)
            do {
                // Nearly always all of the work. The sweeper does the rest.
                try await store.finishDeletion(of: session.account, within: Self.deletionTime)
            } catch {
                context.logger.warning("an account's deletion goes on later", metadata: ["error": "\(error)"])
            }
            hub.changed(.everything)
            return .noContent.clearingCookie(in: context)
        }
    }

    /// - Returns: empty for none.
    private static func checkedColour(_ text: String) throws -> String {
        let colour = text.trimmed
        guard text.unicodeScalars.count <= 40, !colour.steersTerminal else {
            throw Problem(.invalidArguments, "colour must have at most 40 characters, none of them a control character")
        }
        return colour
    }

    /// How long a request goes on with deleting an account.
    private static let deletionTime = Duration.seconds(5)

    /// How long after its sign-in a device may delete the account without another proof.
    private static let freshness: Int64 = 15 * 60_000

    /// Checks that the account's person requests its deletion: with the password, an identity token, or a sign-in just
    /// before. An unlocked device alone is not enough.
    private func check(_ proof: DeleteAccountRequest, of session: Session, from client: IPAddress?) async throws {
        if proof == DeleteAccountRequest() {
            guard try await store.age(of: session) < Self.freshness else {
                throw Problem(
                    .permissionFailure, "send the password, or sign in again and delete within 15 minutes")
            }
            return
        }
        guard try await credentials.proven(proof, of: session.account, from: client) != nil else {
            throw Problem(.permissionFailure, "the password is wrong; nothing was deleted")
        }
    }
}

/// `POST /v1/accounts`. A browser may ask to be signed in at once, with a cookie.
private struct SignUpForm: Decodable {
    let request: SignUpRequest
    let wantsCookie: Bool
    let deviceName: String?

    private enum CodingKeys: CodingKey { case cookie, deviceName }

    init(from decoder: any Decoder) throws {
        request = try SignUpRequest(from: decoder)
        let members = try decoder.container(keyedBy: CodingKeys.self)
        wantsCookie = try members.decodeIfPresent(Bool.self, forKey: .cookie) ?? false
        deviceName = try members.decodeIfPresent(String.self, forKey: .deviceName)
    }
}

/// The account's members, and the signed-in device.
private struct SignedUpResponse: Encodable {
    let account: AccountResponse
    let device: DeviceResponse

    private enum CodingKeys: CodingKey { case device }

    func encode(to encoder: any Encoder) throws {
        try account.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(device, forKey: .device)
    }
}
