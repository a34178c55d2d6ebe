import Hummingbird
import TrolleyStore
import TrolleyWire

/// Bounds the body of each request, by the needs of its route and by the process's budget. The body's share of the
/// budget is held until the request has been answered, because the parsed form of the body uses memory until then.
struct BodyMiddleware: RouterMiddleware {
    let limits: Limits
    let budget: BodyBudget

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        // No route would read this body, so nothing would bound it.
        if request.method == .get, request.declaresBody {
            throw Problem(.invalidArguments, "a \(context.method(of: request)) request has no body")
        }
        let maxBytes = Self.bound(of: context.endpointPath, limits)
        var declaredLength: Int?
        if let text = request.headers[.contentLength], let length = Int(text) {
            guard length <= maxBytes else { throw Problem(tooLarge: maxBytes, limits) }
            declaredLength = length
        }
        let reservation = budget.reservation(for: BodyOwner(context))
        var request = request
        request.body = RequestBody(
            asyncSequence: BoundedBody(
                base: request.body, maxBytes: maxBytes, declaredLength: declaredLength, limits: limits,
                reservation: reservation,
                continuing: request.isExpectingContinue ? context.channel : nil))
        defer { withExtendedLifetime(reservation) {} }
        return try await next(request, context)
    }

    /// The maximum bytes of a route's body. A route that isn't named here takes a small form.
    static func bound(of route: String?, _ limits: Limits) -> Int {
        let needed =
            switch route {
            case "/v1/lists/{list}/entries": limits.bytesPerRequest
            // One token for each list: enough for 6,000 lists.
            case "/v1/changes": 1 << 20
            // A report may name each item of a long list.
            case "/dav/**": 512 << 10
            // The ids of one page.
            case "/v1/hosted/{device}/acknowledge": 256 << 10
            // The texts of one gesture, as a tool's arguments.
            case "/mcp": 128 << 10
            // A hail of a KiB for each of 100 devices.
            case "/v1/lists/{list}/hails": 128 << 10
            // May contain an invitation for each participant.
            case "/v1/lists": 64 << 10
            default: BodyBudget.form
            }
        return min(needed, limits.bytesPerRequest)
    }
}

extension Request {
    fileprivate var declaresBody: Bool {
        if headers[.transferEncoding] != nil { return true }
        return headers[.contentLength].flatMap { Int($0) } ?? 0 > 0
    }
}
