import HTTPTypes
import Hummingbird
import TrolleyStore

/// Lets through whoever has a device's bearer token (RFC 6750), as often as that device may ask.
struct AuthenticationMiddleware: RouterMiddleware {
    let store: Store
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        guard let header = request.headers[.authorization],
            header.prefix(7).lowercased() == "bearer ",
            let session = try await store.session(tokenHash: Secret(text: String(header.dropFirst(7))).hash)
        else { throw NotAuthenticated() }
        try limiter.admit(session)
        var context = context
        context.authenticate(session)
        return try await next(request, context)
    }
}
