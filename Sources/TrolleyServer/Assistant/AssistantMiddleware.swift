import HTTPTypes
import Hummingbird
import TrolleyStore
import TrolleyWire

/// Admits the requests of assistants' programs, by a personal token in `Authorization: Bearer …`.
///
/// A person's own session, in a cookie or as a device's token, opens more than an assistant needs, and would not name it in
/// the Activity.
struct AssistantMiddleware: RouterMiddleware {
    let store: Store
    let limiter: RateLimiter
    let origins: AllowedOrigins

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        try RequestOrigin.checkAssistant(request, allowed: origins)
        guard let header = request.headers[.authorization], header.prefix(7).lowercased() == "bearer ",
            let session = try await store.session(tokenHash: Secret(text: String(header.dropFirst(7))).hash),
            session.scope != nil
        else {
            throw NotAuthenticated(
                detail: "an assistant needs a personal token; make one in the web app, or by 'trolley tokens add'")
        }
        try limiter.admit(session)
        var context = context
        context.authenticate(session)
        return try await next(request, context)
    }
}
