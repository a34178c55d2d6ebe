import HTTPTypes
import Hummingbird
import TrolleyWire

/// What sockets need of HTTP besides other calls.
///
/// - A bearer token may come as a subprotocol (`trolley.bearer.TOKEN`), because browsers can't set `Authorization` for a
///   WebSocket. The response names another subprotocol, so the token isn't repeated.
/// - A request that doesn't upgrade is told how (RFC 9110 §15.5.22, RFC 6455 §4.4).
struct SocketMiddleware: RouterMiddleware {
    let forwarding: ForwardingMonitor

    func handle(
        _ request: Request, context: TrolleyContext, next: (Request, TrolleyContext) async throws -> Response
    ) async throws -> Response {
        var request = request
        if request.headers[.authorization] == nil, let token = request.headers.bearerSubprotocol {
            var head = request.head
            head.headerFields[.authorization] = "Bearer \(token)"
            request = Request(head: head, body: request.body)
        }
        do {
            return try await next(request, context)
        } catch var problem as Problem where problem.code == .incompatibleVersion && !request.isUpgrade {
            forwarding.inspectRefusedUpgrade(request.headers, from: context.peer)
            problem.requestID = context.requestID
            var response = Response(problem)
            response.headers[.secWebSocketVersion] = "13"
            // HTTP/2 has neither header.
            if request.headers[.connection] != nil { response.headers[.upgrade] = "websocket" }
            return response
        }
    }
}

extension Request {
    fileprivate var isUpgrade: Bool {
        do throws(Problem) {
            _ = try WebSocketRequest(headers)
            return true
        } catch { return false }
    }
}
