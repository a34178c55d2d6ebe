import HTTPTypes
import Hummingbird

/// Answers HEAD as GET without the content (RFC 9110 §9.3.2), for every route that has GET.
///
/// Behind it a HEAD request is a GET request, so that rights and limits are those of GET. `Content-Length` is there if GET knows it
/// before it writes. ``HeadGuard`` keeps the connection's framing.
struct HeadResponder<Base: HTTPResponder<TrolleyContext>>: HTTPResponder {
    let base: Base

    func respond(to request: Request, context: TrolleyContext) async throws -> Response {
        guard request.method == .head else { return try await base.respond(to: request, context: context) }
        var head = request.head
        head.method = .get
        var context = context
        context.wantsHeadOnly = true
        let response = try await base.respond(to: Request(head: head, body: request.body), context: context)
        return Response(status: response.status, headers: response.headers, body: .omitted)
    }
}

extension ResponseBody {
    /// No content, and no word about the length that it would have.
    static var omitted: ResponseBody { ResponseBody { body in try await body.finish(nil) } }
}
