import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// Admits requests with the hosted device's token, or with a session of its account. After this middleware the session
/// is the hosted device's.
struct HostedMiddleware: RouterMiddleware {
    let store: Store
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let token = try request.token(&context)
        let device = context.parameters.get("device").flatMap { DeviceID($0) }
        var session = try await store.hostedSession(tokenHash: token.hash)
        if session == nil {
            guard let person = try await store.session(tokenHash: token.hash) else { throw NotAuthenticated() }
            try person.scope?.admit(request, context)
            if let device { session = try await store.hostedSession(device, of: person.account) }
        }
        guard let session, session.device == device else {
            throw Problem(.unknownItem, "there is no such hosted device for you")
        }
        try limiter.admit(session)
        context.authenticate(session)
        return try await next(request, context)
    }
}
