import HTTPTypes
import Hummingbird
import Logging
import TrolleyJournal

/// The outermost middleware. Gives the request its id, finds the client's address and how it reached the service, and
/// records the outcome in metrics and log.
struct RequestLogMiddleware: RouterMiddleware {
    let trust: ProxyTrust
    /// Whether the service itself speaks TLS.
    let speaksTLS: Bool
    let forwarding: ForwardingMonitor
    let metrics: ServiceMetrics

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        let began = ContinuousClock.now
        var context = context
        context.client = trust.client(peer: context.peer, headers: request.headers)
        context.isSecure = speaksTLS || trust.isSecure(peer: context.peer, headers: request.headers)
        forwarding.inspect(request.headers, from: context.peer)
        context.requestID = request.headers[.requestID].flatMap(Self.acceptable) ?? Self.name()

        var response = try await next(request, context)
        response.headers[.requestID] = context.requestID
        let duration = ContinuousClock.now - began
        // Never the path itself, which contains list ids and may contain an invitation's secret. Never a method that a
        // client made up.
        let endpoint = context.endpointPath.flatMap { $0 == Self.unmatchedRoute ? nil : $0 }
        let route = endpoint ?? "none"
        let method = endpoint == nil ? "other" : context.method(of: request)
        metrics.count(
            .requests, [("method", method), ("route", route), ("status", "\(response.status.code)")])
        metrics.time(.requestSeconds, duration, [("method", method), ("route", route)])
        metrics.requestHistory.note(duration, failed: response.status.code >= 500)
        context.log(
            .debug, "answered",
            [
                "method": "\(method)", "route": "\(route)", "status": "\(response.status.code)",
                "milliseconds": "\(duration.nanoseconds / 1_000_000)",
            ])
        return response
    }

    /// A new request id: 128 random bits, so that processes need not coordinate.
    private static func name() -> String {
        UUIDBits(high: .random(in: .min ... .max), low: .random(in: .min ... .max)).description
    }

    /// Hummingbird's route name for an unknown path.
    private static let unmatchedRoute = "NotFound"

    /// A client's request id, if it is safe to log: letters, digits, `.`, `_` and `-`, at most 128.
    private static func acceptable(_ text: String) -> String? {
        let isGood =
            (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isGood ? text : nil
    }
}

extension HTTPField.Name {
    // The name is valid, so the fallback is never used.
    static let requestID = HTTPField.Name("X-Request-ID") ?? .from
}
