import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Signing in and out, and the list of signed-in devices.
struct SessionRoutes: Sendable {
    let store: Store
    let hub: EventHub
    let credentials: CredentialCheck
    let limits: Limits
    let quotas: Quotas

    func addSignIn(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/sessions") { request, context -> Response in
            let form = try await request.decode(SessionForm.self, limits: limits)
            let wantsCookie = form.cookie == true
            if wantsCookie { try RequestOrigin.check(request, isSecure: context.isSecure) }
            let deviceName = try DisplayName.checked(form.deviceName ?? "A device", called: "deviceName")
            let account: AccountResponse
            var passwordHash: String?
            if let token = form.identityToken {
                account = try await credentials.account(identifiedBy: token, from: context.client)
            } else {
                let found = try await credentials.account(with: try form.credentials, from: context.client)
                (account, passwordHash) = (found.0, found.passwordHash)
            }
            let secret = Secret()
            let device: DeviceResponse
            do {
                device = try await store.createDevice(
                    account: account.id, name: deviceName, tokenHash: secret.hash, passwordHash: passwordHash,
                    quota: quotas.devicesPerAccount)
            } catch StoreError.passwordChanged {
                throw Problem(.notAuthenticated, "no account has this email and password")
            }
            guard wantsCookie else {
                let session = SessionResponse(token: secret.text, account: account, device: device)
                return try .json(session, status: .created)
            }
            return try .json(CookieSessionResponse(account: account, device: device), status: .created)
                .settingCookie(secret.text, sessionIdle: store.sessionIdle, in: context)
        }
    }

    func add(to router: RouterGroup<TrolleyContext>) {
        router.delete("v1/session") { _, context -> Response in
            try await store.signOut(device: context.session.device, account: context.session.account)
            hub.signedOut([try context.session.device])
            return .noContent.clearingCookie(in: context)
        }
        router.get("v1/devices") { _, context -> Response in
            try .json(DevicesResponse(devices: try await store.devices(seenBy: context.session)))
        }
        router.delete("v1/devices/:device") { _, context -> Response in
            let device: DeviceID = try context.identifier("device", otherwise: .unknownItem)
            try await store.signOut(device: device, account: context.session.account)
            hub.signedOut([device])
            return try device == context.session.device ? .noContent.clearingCookie(in: context) : .noContent
        }
    }
}

/// `POST /v1/sessions`: email and password, or an identity token.
private struct SessionForm: Decodable {
    let email: String?
    let password: String?
    let identityToken: String?
    let deviceName: String?
    let cookie: Bool?

    var credentials: SignInRequest {
        get throws(Problem) {
            guard let email, let password else {
                throw Problem(.invalidArguments, "email and password, or identityToken, are missing")
            }
            return SignInRequest(email: email, password: password, deviceName: deviceName)
        }
    }
}

/// The answer if the token is in a cookie.
private struct CookieSessionResponse: Encodable {
    let account: AccountResponse
    let device: DeviceResponse
}
