import HTTPTypes
import Hummingbird
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct RoomRoutes: Sendable {
    let store: Store
    let hub: RoomHub
    let origins: AllowedOrigins
    let limits: Limits

    func addHails(to router: RouterGroup<TrolleyContext>) {
        router.post("v1/lists/:list/hails") { request, context -> Response in
            let wanted = try await request.decode(HailsRequest.self, limits: limits)
            return try await send(wanted, on: context.list(), from: context.session)
        }
        router.get("v1/lists/:list/hails") { _, context -> Response in
            try .json(HailsList(hails: try await store.hails(to: context.session, on: context.list())))
        }
        router.delete("v1/lists/:list/hails/:hail") { _, context -> Response in
            let hail = context.parameters.get("hail").flatMap { HailID($0) }
            guard try await store.deleteHail(hail, to: context.session, on: context.list()) else {
                throw Problem(.unknownItem, "there is no such hail to this device")
            }
            return .noContent
        }
    }

    private func send(_ wanted: HailsRequest, on list: ListID, from session: Session) async throws -> Response {
        guard let key = Base64URL.decode(wanted.key), key.count == 32 else {
            throw Problem(.invalidArguments, "key must be 32 bytes in base64url")
        }
        guard wanted.hails.count <= HailsRequest.maximumHails else {
            throw Problem(.limitExceeded, "at most \(HailsRequest.maximumHails) hails", limits: limits)
        }
        let hails = try wanted.hails.map { hail in
            guard hail.sealed.utf8.count <= HailsRequest.maximumSealed else {
                throw Problem(
                    .limitExceeded, "sealed may have \(HailsRequest.maximumSealed) characters", limits: limits)
            }
            guard let sealed = Base64URL.decode(hail.sealed), !sealed.isEmpty else {
                throw Problem(.invalidArguments, "sealed must be base64url")
            }
            let random = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
            return OutgoingHail(id: HailID(UUIDBits(high: random.0, low: random.1)), to: hail.to, sealed: sealed)
        }
        guard Set(hails.map(\.to)).count == hails.count else {
            throw Problem(.invalidArguments, "only one hail to each device")
        }
        try hub.admitHails(hails.count, by: session)
        let outcome = try await store.hail(
            hails, to: wanted.room, handshakeKey: key, on: list, from: session, limits: hub.limits)
        switch outcome {
        case .sent(let response):
            hub.hailed(response.hailed, on: list)
            return try .json(response)
        case .otherRoom: throw Problem(.serverRecordChanged, "another room has this id; make a new one")
        }
    }

    func addSockets(to router: RouterGroup<TrolleyContext>) {
        router.get("rooms/:room/socket") { request, context -> Response in
            let room: RoomID = try context.identifier("room", otherwise: .unknownItem)
            let upgrade = try check(request, context)
            let handshake = try RoomHandshake(room: room, request.uri.queryParameters)
            let pass = try await hub.gate.admit(handshake, of: context.session)
            return try await open(upgrade, context, entering: pass)
        }
        router.get("v1/socket") { request, context -> Response in
            try await open(try check(request, context), context, entering: nil)
        }
    }

    private func check(_ request: Request, _ context: TrolleyContext) throws(Problem) -> WebSocketRequest {
        let upgrade = try WebSocketRequest(request.headers)
        guard !context.wantsHeadOnly else { throw Problem(.incompatibleVersion, "a WebSocket begins with GET") }
        // RFC 6455 §4.2.1. Every request of HTTP/1.1 has one.
        guard request.head.authority != nil else { throw Problem(.invalidArguments, "the header Host is missing") }
        try RequestOrigin.checkSocket(request, hasCookie: context.cookieToken != nil, allowed: origins)
        return upgrade
    }

    private func open(
        _ upgrade: WebSocketRequest, _ context: TrolleyContext, entering pass: RoomPass?
    ) async throws -> Response {
        let channel = context.channel
        let socket = try hub.open(for: context.session, from: context.client, on: channel, entering: pass)
        channel.closeFuture.whenComplete { [hub] _ in hub.close(socket) }
        let isPrepared: Bool
        do {
            try await hub.checkSession(of: socket)
            isPrepared = try await SocketUpgrader.prepare(
                channel, maximumFrame: hub.limits.bytesPerMessage, for: socket)
        } catch {
            hub.close(socket)
            throw error
        }
        guard isPrepared else {
            hub.close(socket)
            throw Problem(.incompatibleVersion, "a WebSocket needs HTTP/1.1")
        }
        return Response(
            status: .switchingProtocols, headers: upgrade.responseHeaders,
            body: ResponseBody { _ in
                // Throwing is the only way to end the task that serves the connection before the connection closes.
                throw ConnectionUpgraded()
            })
    }
}

/// Not a failure: the connection is a WebSocket now.
private struct ConnectionUpgraded: Error {}

extension RoomHandshake {
    fileprivate init(room: RoomID, _ query: Parameters) throws(Problem) {
        func text(_ name: Substring) throws(Problem) -> String {
            guard let text = query[name] else { throw Problem(.invalidArguments, "\(name) is missing in the query") }
            return String(text)
        }
        func identifier<ID: Identifier>(_ name: Substring) throws(Problem) -> ID {
            guard let id = ID(try text(name)) else { throw Problem(.invalidArguments, "\(name) must be a UUID") }
            return id
        }
        guard let timestamp = Int64(try text("timestamp")) else {
            throw Problem(.invalidArguments, "timestamp must be milliseconds since 1970")
        }
        let version = query["version"].map { Int64($0) } ?? RoomHandshake.unnamedVersion
        guard let version else { throw Problem(.invalidArguments, "version must be a number") }
        self.init(
            version: version, room: room, list: try identifier("list"), author: try identifier("author"),
            device: try identifier("device"), timestamp: timestamp, nonce: try text("nonce"),
            signature: try text("signature"))
    }
}
