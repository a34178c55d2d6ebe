import Hummingbird

/// Has the answer to a request for an event stream made in a task of its own.
///
/// A task keeps the memory that it once needed until it ends, and the way through middlewares and routes goes deep: some
/// twenty KiB. A stream's connection goes on for hours with the task that serves it, so that one should never have gone that
/// way.
struct StreamResponder<Responder: HTTPResponder>: HTTPResponder where Responder.Context == TrolleyContext {
    let responder: Responder

    func respond(to request: Request, context: TrolleyContext) async throws -> Response {
        guard request.uri.path == "/v1/events" else {
            return try await responder.respond(to: request, context: context)
        }
        async let response = responder.respond(to: request, context: context)
        return try await response
    }
}
