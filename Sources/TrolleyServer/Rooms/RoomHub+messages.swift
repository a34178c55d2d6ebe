import NIOCore
import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleyWire

// What devices send on their sockets.

extension RoomHub {
    /// Handles one message, on the socket's event loop.
    func received(_ message: ByteBuffer, from socket: Socket) {
        do throws(WireError) {
            switch try SocketRequest(json: message.readableBytesView) {
            case .say(let room, let body): say(body, in: room, by: socket)
            case .leave(let room):
                if state.withLock({ $0.rooms(of: socket).contains(room) }) {
                    putOut(socket, of: room, .left)
                } else {
                    refuse(socket, room, Problem(.unknownItem, "you are not in this room"))
                }
            case .join(let handshake): join(handshake, socket)
            case .hints(let lastEventID): sendHints(to: socket, lastEventID: lastEventID)
            case .unknown: refuse(socket, nil, Problem(.invalidArguments, "there is no such type of message"))
            }
        } catch {
            refuse(socket, nil, Problem(.invalidArguments, error.description))
        }
    }

    private func refuse(_ socket: Socket, _ room: RoomAddress?, _ problem: Problem) {
        socket.send(.refused(room, problem.code, detail: problem.detail))
    }

    private func say(_ body: String, in room: RoomAddress, by socket: Socket) {
        guard body.utf8.count <= limits.charactersPerBody else {
            return refuse(socket, room, Problem(.limitExceeded, "body may have \(limits.charactersPerBody) characters"))
        }
        guard !body.isEmpty, body.utf8.allSatisfy(\.isBase64URL) else {
            return refuse(socket, room, Problem(.invalidArguments, "body must be base64url without padding"))
        }
        guard let delivery = state.withLock({ $0.say(body, in: room, by: socket, at: .now) }) else {
            return refuse(socket, room, Problem(.unknownItem, "you are not in this room"))
        }
        if delivery.dropped > 0 {
            refuse(socket, room, Problem(.requestRateLimited, "too much is said in this room"))
        } else {
            metrics.count(.roomMessages)
        }
        deliver(.said(room, from: socket.member, body: body), delivery)
    }

    /// Checks the handshake in a task of its own. The session and its rates are those of the request that opened the
    /// socket.
    private func join(_ handshake: RoomHandshake, _ socket: Socket) {
        inTask(of: socket, room: handshake.address) { [self] in
            try limiter.admit(socket.session)
            return try await gate.admit(handshake, of: socket.session)
        } then: { [self] pass in
            enter(socket, pass)
        }
    }

    private func sendHints(to socket: Socket, lastEventID: String?) {
        inTask(of: socket, room: nil) { [events] in
            SocketHints(try await events.subscribe(socket.session, lastEventID: lastEventID), hub: events)
        } then: { hints in
            socket.listen(to: hints)
        }
    }

    /// Does work that needs the database, and tells the client the outcome.
    private func inTask<Value: Sendable>(
        of socket: Socket, room: RoomAddress?, _ work: @escaping @Sendable () async throws -> Value,
        then answer: @escaping @Sendable (Value) -> Void
    ) {
        let isAccepted = socket.perform { [self] in
            do {
                answer(try await work())
            } catch {
                refuse(socket, room, Problem(answering: error, limits: Limits()))
            }
        }
        if !isAccepted {
            refuse(socket, room, Problem(.requestRateLimited, "wait for the answers to your last join and hints"))
        }
    }
}

extension UInt8 {
    /// RFC 4648 §5.
    fileprivate var isBase64URL: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
