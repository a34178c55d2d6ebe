import HTTPTypes
import Hummingbird
import TrolleyStore

/// Admits requests with a device's bearer token (RFC 6750), within the device's rate limit.
struct AuthenticationMiddleware: RouterMiddleware {
    let store: Store
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        guard let token = request.bearerToken, let session = try await store.session(tokenHash: token.hash) else {
            throw NotAuthenticated()
        }
        try limiter.admit(session)
        var context = context
        context.authenticate(session)
        return try await next(request, context)
    }
}

extension Request {
    /// The token of the header `Authorization: Bearer …`.
    var bearerToken: Secret? {
        guard let header = headers[.authorization], header.prefix(7).lowercased() == "bearer " else { return nil }
        return Secret(text: String(header.dropFirst(7)))
    }
}
