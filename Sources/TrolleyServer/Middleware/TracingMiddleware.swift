import HTTPTypes
import Hummingbird
import Tracing

/// A span for each request, named by OpenTelemetry's conventions. Only used when a tracer is set.
///
/// Hummingbird's own middleware records paths and queries, which contain list ids, change tokens and invitations'
/// secrets.
struct TracingMiddleware: RouterMiddleware {
    /// Whether a tracer is set.
    static var isNeeded: Bool { !(InstrumentationSystem.tracer is NoOpTracer) }

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        var parent = ServiceContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(request.headers, into: &parent, using: HeaderExtractor())
        return try await withSpan("HTTP", context: parent, ofKind: .server) { span in
            span.attributes["trolley.request.id"] = context.requestID
            let response = try await next(request, context)
            let route = context.endpointPath ?? "none"
            let method = context.method(of: request)
            span.operationName = "\(method) \(route)"
            span.attributes["http.request.method"] = method
            span.attributes["http.route"] = route
            span.attributes["http.response.status_code"] = Int(response.status.code)
            if response.status.code >= 500 { span.setStatus(.init(code: .error)) }
            return response
        }
    }
}

/// Runs `body`, a step that may take long, in its own span.
func traced<Value, Failure: Error>(
    _ name: String, _ body: () async throws(Failure) -> Value
) async throws(Failure) -> Value {
    let span = startSpan(name)
    defer { span.end() }
    do throws(Failure) {
        return try await body()
    } catch {
        span.setStatus(.init(code: .error))
        throw error
    }
}

/// Reads a trace's context from the headers that the tracer names, such as `traceparent`.
private struct HeaderExtractor: Extractor {
    func extract(key name: String, from headers: HTTPFields) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }
}
