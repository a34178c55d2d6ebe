import HTTPTypes
import Hummingbird
import Logging
import TrolleyStore
import TrolleyWire

/// Answers every error with a problem document. Logs errors that are the service's fault.
struct ProblemMiddleware: RouterMiddleware {
    let limits: Limits
    let table: RouteTable

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            var problem = Problem(answering: error, limits: limits)
            var methods: [String] = []
            if problem.code == .unknownRoute {
                methods = table.methods(at: request.uri.path)
                // A route that is hidden from this client is unknown, so its method is not wrong.
                if methods.contains(request.method.rawValue) { methods = [] }
                if !methods.isEmpty {
                    problem = Problem(.methodNotAllowed, "this call has \(methods.joined(separator: ", "))")
                }
            }
            problem.requestID = context.requestID
            context.log(
                Self.isFault(error, problem) ? .error : .debug, "request failed",
                [
                    "code": .string(problem.code.rawValue),
                    "route": .string(context.endpointPath ?? "none"),
                    // Only the service's own faults are logged in full; their text never contains what people wrote.
                    "error": .string(problem.status >= 500 ? "\(error)" : problem.title),
                ])
            var response = Response(problem)
            if !methods.isEmpty { response.headers[.allow] = methods.joined(separator: ", ") }
            // RFC 6750 §3.1: the client has sent a token, which is wrong, has ended or was revoked.
            if problem.code == .notAuthenticated, request.headers[.authorization]?.prefix(7).lowercased() == "bearer " {
                response.headers[.wwwAuthenticate] = #"Bearer error="invalid_token""#
            }
            return response
        }
    }

    /// Whether an operator must act: the service failed, or has no database. Shedding load is no fault; the metrics
    /// count it.
    private static func isFault(_ error: any Error, _ problem: Problem) -> Bool {
        if let error = error as? StoreError, let outage = error.outage { return outage != .overloaded }
        return problem.status >= 500 && problem.code != .serviceUnavailable && problem.code != .zoneBusy
    }
}

extension Response {
    init(_ problem: Problem) {
        self = .json(bytes: problem.json, status: HTTPResponse.Status(code: problem.status))
        headers[.contentType] = Problem.mediaType
        if let seconds = problem.retryAfter { headers[.retryAfter] = String(seconds) }
        if problem.code == .notAuthenticated { headers[.wwwAuthenticate] = "Bearer" }
    }
}
