import Hummingbird
import TrolleyStore

/// Admits requests with a device's token, in `Authorization` or in a browser's cookie, within the device's rate limit.
struct AuthenticationMiddleware: RouterMiddleware {
    let store: Store
    let limiter: RateLimiter
    /// Whether requests without a token pass, too. One with a token needs a session that goes on.
    var isOptional = false

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        if isOptional, !request.hasToken(context) { return try await next(request, context) }
        var context = context
        let token = try request.token(&context)
        guard let session = try await store.session(tokenHash: token.hash) else { throw NotAuthenticated() }
        try limiter.admit(session)
        try session.scope?.admit(request, context)
        context.authenticate(session)
        return try await next(request, context)
    }
}
