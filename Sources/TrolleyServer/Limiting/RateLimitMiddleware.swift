import Hummingbird

/// Counts each call by the address that it comes from, before anything else is done for it.
struct RateLimitMiddleware: RouterMiddleware {
    let limiter: RateLimiter

    /// Monitoring must not be told to wait. Everything else is counted, however its path is written: the router takes
    /// `//v1/lists` for `/v1/lists`.
    private static let exempt: Set<String> = ["/healthz", "/readyz", "/metrics"]

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        if !Self.exempt.contains(request.uri.path) { try limiter.admit(context.client) }
        return try await next(request, context)
    }
}
