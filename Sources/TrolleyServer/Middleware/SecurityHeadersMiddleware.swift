import HTTPTypes
import Hummingbird

/// Tells browsers on every answer to take its type as it is, and over TLS to use only TLS with this host from then on
/// (RFC 6797).
///
/// Without TLS nothing is said about it (RFC 6797 §7.2): a browser would have to ignore it, and a household's service
/// may have none.
struct SecurityHeadersMiddleware: RouterMiddleware {
    /// A year, for this host and not for those below its name, which may be other people's.
    private static let transportSecurity = "max-age=31536000"

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.xContentTypeOptions] = "nosniff"
        if context.isSecure { response.headers[.strictTransportSecurity] = Self.transportSecurity }
        return response
    }
}
