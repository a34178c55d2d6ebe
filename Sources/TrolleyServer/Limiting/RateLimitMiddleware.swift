import Hummingbird

/// Counts each call by the address that it comes from, before anything else is done for it.
struct RateLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        // Whoever watches whether the service is alive must not be told to wait.
        if request.uri.path.hasPrefix("/v1/") { try limiter.admit(context.client) }
        return try await next(request, context)
    }
}
