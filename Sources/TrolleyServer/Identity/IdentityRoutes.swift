import HTTPTypes
import Hummingbird
import Logging
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Signing in at the operator's identity provider with a browser: authorization code with PKCE.
///
/// These are pages that a browser goes to, not calls: what goes wrong leads back to the app, which says it.
struct IdentityRoutes: Sendable {
    let store: Store
    let credentials: CredentialCheck
    let limiter: RateLimiter
    /// nil when browsers can't sign in like that here.
    let exchange: IdentityExchange?
    let issuer: String?
    let quotas: Quotas

    private static let callback = "/v1/identity/callback"

    func add(to router: RouterGroup<TrolleyContext>) {
        router.get("v1/identity/sign-in") { request, context -> Response in
            let exchange = try existing()
            return try await leading(context) {
                // Another site must not sign somebody in here as somebody else.
                try RequestOrigin.check(request, isSecure: context.isSecure)
                let name = request.uri.queryParameters.get("deviceName") ?? "A browser"
                let attempt = SignInAttempt(deviceName: try DisplayName.checked(name, called: "deviceName"))
                let address = try await exchange.authorization(
                    of: attempt, callback: try Self.callback(request, context))
                return .leading(to: address, setting: [attempt.cookie(isSecure: context.isSecure)])
            }
        }
        router.get("v1/identity/callback") { request, context -> Response in
            let exchange = try existing()
            return try await leading(context) {
                let query = request.uri.queryParameters
                // Some providers refuse without sending the state back. A refusal signs nobody in, so it needs no proof.
                guard query.get("error") == nil, let code = query.get("code") else {
                    throw Problem(.notAuthenticated, "the identity provider has signed nobody in")
                }
                guard let attempt = SignInAttempt(cookieIn: request.headers, isSecure: context.isSecure),
                    attempt.isAnswered(state: query.get("state"), issuer: query.get("iss") ?? issuer, provider: issuer)
                else { throw Problem(.crossOriginRequest, "this browser has begun no such sign-in lately") }
                let callback = try Self.callback(request, context)
                // A code that the provider refuses counts. What it accepts is counted with the identity.
                let counted = try limiter.attempt(nil, from: context.client)
                let tokens: IdentityExchange.Tokens
                do { tokens = try await exchange.tokens(for: code, of: attempt, callback: callback) } catch {
                    if error is IdentityExchange.Failure { limiter.giveBack(counted) }
                    throw error
                }
                limiter.giveBack(counted)
                let account = try await credentials.account(
                    identifiedBy: tokens.identity, nonce: attempt.nonce, from: context.client
                ) { try await exchange.complete($0, by: tokens) }
                let secret = Secret()
                _ = try await store.createDevice(
                    account: account.id, name: try DisplayName.checked(attempt.deviceName, called: "deviceName"),
                    tokenHash: secret.hash, passwordHash: nil, quota: quotas.devicesPerAccount)
                let session = SessionCookie.setting(
                    secret.text, isSecure: context.isSecure, sessionIdle: store.sessionIdle)
                return .leading(
                    to: "/#/signed-in", setting: [session, SignInAttempt.clearing(isSecure: context.isSecure)])
            }
        }
    }

    private func existing() throws(Problem) -> IdentityExchange {
        guard let exchange else {
            throw Problem(.invalidArguments, "browsers sign in with email and password here; see --oidc-name")
        }
        return exchange
    }

    /// Leads the browser on, or back to the app with the code of what has gone wrong.
    private func leading(
        _ context: TrolleyContext, _ body: () async throws -> Response
    ) async throws -> Response {
        // A code works once. Programs that look at an address beforehand must not use it up.
        if context.wantsHeadOnly { return .leading(to: "/", setting: []) }
        do { return try await body() } catch {
            let problem =
                error is IdentityExchange.Failure
                ? Problem(.serviceUnavailable) : Problem(answering: error, limits: Limits())
            context.log(.info, "a browser's sign-in has failed", ["code": "\(problem.code.rawValue)"])
            return .leading(
                to: "/#/signed-in/\(problem.code.rawValue)",
                setting: [SignInAttempt.clearing(isSecure: context.isSecure)])
        }
    }

    /// The address to which the provider leads the browser back: the one under which it has reached this service.
    private static func callback(_ request: Request, _ context: TrolleyContext) throws(Problem) -> String {
        guard let authority = request.head.authority, !authority.isEmpty else {
            throw Problem(.invalidArguments, "the request names no host")
        }
        return (context.isSecure ? "https://" : "http://") + authority + callback
    }
}

extension Response {
    /// Leads a browser elsewhere, with cookies.
    fileprivate static func leading(to address: String, setting cookies: [String]) -> Response {
        var headers: HTTPFields = [.location: address, .cacheControl: "no-store"]
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: .seeOther, headers: headers)
    }
}
