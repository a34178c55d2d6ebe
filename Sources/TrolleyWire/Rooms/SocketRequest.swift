import TrolleyJournal

/// A message from a device to the service, on a socket: one JSON text.
public enum SocketRequest: Hashable, Sendable {
    /// Enters another room on the same socket.
    case join(RoomHandshake)
    /// Leaves a room. The socket stays open.
    case leave(RoomAddress)
    /// Passes a body on to all others in a room. The service doesn't read it: it is base64url without padding, of a
    /// sealed ``RoomFrame``.
    case say(RoomAddress, body: String)
    /// Asks for hints, as of `GET /v1/events`.
    /// - Parameter lastEventID: the id of the last hint that the device got; nil: none.
    case hints(lastEventID: String?)
    /// A message of a later version.
    case unknown
}

extension SocketRequest {
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            switch self {
            case .join(let handshake):
                writer.member("type", "join")
                handshake.writeMembers(to: &writer)
            case .leave(let room):
                writer.member("type", "leave")
                room.writeMembers(to: &writer)
            case .say(let room, let body):
                writer.member("type", "say")
                room.writeMembers(to: &writer)
                writer.member("body", body)
            case .hints(let lastEventID):
                writer.member("type", "hints")
                writer.member("lastEventID", ifAny: lastEventID)
            case .unknown: writer.member("type", "unknown")
            }
        }
        return writer.bytes
    }

    /// - Throws: `.malformed` and `.invalid`. A type that this version doesn't know is ``unknown``.
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { (reader) throws(WireError) in try reader.object(Members.self) }
    }

    private struct Members: JSONMembers {
        var type = ""
        var version = RoomHandshake.unnamedVersion
        var room: RoomID?
        var list: ListID?
        var author: AccountID?
        var device: DeviceID?
        var timestamp: Int64?
        var nonce: String?
        var signature: String?
        var body: String?
        var lastEventID: String?

        mutating func read(_ key: JSONText, _ reader: inout JSONReader) throws(WireError) {
            switch key {
            case "type": type = try reader.string()
            case "version": version = try reader.integer()
            case "room": room = try reader.identifier()
            case "list": list = try reader.identifier()
            case "author": author = try reader.identifier()
            case "device": device = try reader.identifier()
            case "timestamp": timestamp = try reader.integer()
            case "nonce": nonce = try reader.string()
            case "signature": signature = try reader.string()
            case "body": body = try reader.string()
            case "lastEventID": lastEventID = try reader.null() ? nil : try reader.string()
            default: try reader.skip()
            }
        }

        func value() throws(WireError) -> SocketRequest {
            switch type {
            case "say":
                guard let room, let list, let body else { throw .invalid("say needs room, list and body") }
                return .say(RoomAddress(room, on: list), body: body)
            case "join":
                guard let room, let list, let author, let device, let timestamp, let nonce, let signature else {
                    throw .invalid("join needs room, list, author, device, timestamp, nonce and signature")
                }
                return .join(
                    RoomHandshake(
                        version: version, room: room, list: list, author: author, device: device, timestamp: timestamp,
                        nonce: nonce, signature: signature))
            case "leave":
                guard let room, let list else { throw .invalid("leave needs room and list") }
                return .leave(RoomAddress(room, on: list))
            case "hints": return .hints(lastEventID: lastEventID)
            case "": throw .invalid("type is missing")
            default: return .unknown
            }
        }
    }
}
