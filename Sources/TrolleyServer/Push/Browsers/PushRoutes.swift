import Crypto
import HTTPTypes
import Hummingbird
import TrolleyStore
import TrolleyWire

/// Push subscriptions of devices.
struct PushRoutes: Sendable {
    let store: Store
    let identities: PushIdentitySource
    let settings: PushSettings
    let limits: Limits

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/push/key") { _, _ -> Response in
            try .json(PushKeyResponse(publicKey: try await identities.identity().publicKey))
        }
        router.put("v1/push/subscription") { request, context -> Response in
            let wanted = try await request.decode(PushSubscriptionRequest.self, limits: limits)
            let endpoint = try EndpointURL.checked(wanted.endpoint, called: "endpoint", settings)
            try await store.subscribe(
                context.session, to: endpoint.text,
                keys: PushKeys(p256dh: wanted.keys.p256dh, auth: wanted.keys.auth), app: app(of: request, context),
                withContent: wanted.content ?? false, language: wanted.checkedLanguage())
            return .noContent
        }
        router.delete("v1/push/subscription") { _, context -> Response in
            try await store.endSubscription(of: context.session)
            return .noContent
        }
    }

    /// The origin of the page that subscribes: notifications open it. A program that is no page gets the service's own.
    private func app(of request: Request, _ context: TrolleyContext) throws(Problem) -> String {
        let origin = request.headers[.origin] ?? context.origin(of: request)
        guard origin.utf8.count <= 300, let url = EndpointURL(origin.lowercased()), url.text == url.origin else {
            throw Problem(.invalidArguments, "the Origin of the page is not one that a notification could open")
        }
        return url.origin
    }
}

extension TrolleyContext {
    /// The service's scheme, host and port, as the client reaches it.
    func origin(of request: Request) -> String {
        (isSecure ? "https://" : "http://") + (request.head.authority ?? "localhost")
    }
}

extension PushKeys {
    /// Parses the keys of a subscription, in base64url.
    init(p256dh: String, auth: String) throws(Problem) {
        guard let key = Base64URL.decode(p256dh), key.count == 65,
            (try? P256.KeyAgreement.PublicKey(x963Representation: key)) != nil
        else {
            throw Problem(.invalidArguments, "the public key must be one of P-256, 65 bytes in base64url")
        }
        guard let secret = Base64URL.decode(auth), secret.count == 16 else {
            throw Problem(.invalidArguments, "the authentication secret must be 16 bytes in base64url")
        }
        self.init(publicKey: key, secret: secret)
    }
}

extension PushSubscriptionRequest {
    fileprivate func checkedLanguage() throws(Problem) -> String? {
        guard let language else { return nil }
        guard language.utf8.count <= 35,
            language.wholeMatch(of: /[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*/) != nil
        else { throw Problem(.invalidArguments, "language must be a language tag, such as en or de-AT") }
        return language
    }
}
