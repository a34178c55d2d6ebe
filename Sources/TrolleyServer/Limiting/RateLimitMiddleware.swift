import Hummingbird

/// Counts each request by its client's address, before anything else is done.
struct RateLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter

    /// Monitoring is exempt. Everything else is counted in any spelling of its path: the router treats `//v1/lists` as
    /// `/v1/lists`.
    private static let exempt: Set<String> = ["/healthz", "/readyz", "/metrics"]

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        if !Self.exempt.contains(request.uri.path) { try limiter.admit(context.client) }
        return try await next(request, context)
    }
}
