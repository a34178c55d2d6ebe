import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyAssistant
import TrolleyStore
import TrolleyWire

/// Lists for assistants, at `/mcp`: the Model Context Protocol over HTTP ('Streamable HTTP').
///
/// Each message is a request, and each request has one JSON answer. Nothing is kept between requests, so there are no protocol
/// sessions, and no streams: GET and DELETE are methods that the path doesn't have.
struct AssistantRoutes: Sendable {
    let store: Store
    let gestures: Gestures
    let disk: DiskMonitor
    let limits: Limits
    /// Looking for an item ends after this time, with what was found.
    let searchTime: Duration
    let passed = PassedGestures()

    /// - Parameter router: behind ``AssistantMiddleware``.
    func add(to router: RouterGroup<TrolleyContext>) {
        router.post("mcp") { request, context -> Response in try await respond(to: request, context) }
    }

    private func respond(to request: Request, _ context: TrolleyContext) async throws -> Response {
        let session = try context.session
        let message = try await request.body(upTo: limits)
        let call = AssistantCall(routes: self, session: session, messageBytes: message.readableBytes)
        let reply: AssistantReply
        var memory: ReadReservation?
        switch AssistantTurn(
            reading: message.readableBytesView, headers: AssistantHeaders(request.headers),
            tools: AssistantTool.overHTTP, isReadOnly: call.isReadOnly)
        {
        case .accept: return Response(status: .accepted)
        case .reply(let known): reply = known
        case .call(let tool, let arguments, let exchange):
            let answer = try await call.outcome(of: tool, arguments)
            memory = answer.memory
            reply = exchange.reply(answer.outcome)
        case .resources(let exchange): reply = exchange.reply(resources: try await call.resources())
        case .read(let list, let exchange):
            do {
                let answer = try await call.shown(list)
                memory = answer.memory
                reply = exchange.reply(.document(answer.document), reading: list)
            } catch let failure as AssistantFailure {
                reply = exchange.refuse(failure)
            }
        }
        var response = try Response.json(
            reservation: reply.bytes, for: session.account, in: store, insteadOf: memory)
        response.status = HTTPResponse.Status(code: reply.httpStatus)
        return response
    }
}

extension AssistantHeaders {
    fileprivate init(_ headers: HTTPFields) {
        self.init(
            versions: headers[values: .protocolVersion], methods: headers[values: .mcpMethod],
            names: headers[values: .mcpName])
    }
}

extension HTTPField.Name {
    // The names are tokens, so the fallbacks are never used.
    fileprivate static let protocolVersion = HTTPField.Name("MCP-Protocol-Version") ?? .from
    fileprivate static let mcpMethod = HTTPField.Name("Mcp-Method") ?? .from
    fileprivate static let mcpName = HTTPField.Name("Mcp-Name") ?? .from
}
