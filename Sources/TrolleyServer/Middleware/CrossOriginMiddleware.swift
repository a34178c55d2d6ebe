import HTTPTypes
import Hummingbird

/// Permits pages of the allowed origins to read answers (CORS, WHATWG Fetch §3.2). Without allowed origins, the
/// default, it does nothing.
///
/// Such pages authenticate by `Authorization`. No answer allows credentials, so a page of another origin can't use a
/// browser's cookie.
struct CrossOriginMiddleware: RouterMiddleware {
    let origins: AllowedOrigins

    private static let requestHeaders =
        "authorization, content-type, idempotency-key, last-event-id, x-request-id, "
        + "mcp-protocol-version, mcp-method, mcp-name"
    private static let responseHeaders = "retry-after, x-request-id, www-authenticate, allow, deprecation"
    /// Seconds for which a browser may remember a preflight's answer.
    private static let preflightAge = "600"

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        guard !origins.isEmpty else { return try await next(request, context) }
        // The inner middleware counts a preflight like any other request, and finds the methods of its path.
        var response = try await next(request, context)
        response.headers[values: .vary].append("Origin")
        guard let origin = request.headers[.origin], origins.contains(origin) else { return response }
        if request.isPreflight, response.status == .methodNotAllowed, let methods = response.headers[.allow] {
            response = Response(
                status: .noContent,
                headers: [
                    .vary: "Origin", .accessControlAllowMethods: methods,
                    .accessControlAllowHeaders: Self.requestHeaders, .accessControlMaxAge: Self.preflightAge,
                ])
        } else {
            response.headers[.accessControlExposeHeaders] = Self.responseHeaders
        }
        response.headers[.accessControlAllowOrigin] = origin
        return response
    }
}

extension Request {
    fileprivate var isPreflight: Bool { method == .options && headers[.accessControlRequestMethod] != nil }
}
