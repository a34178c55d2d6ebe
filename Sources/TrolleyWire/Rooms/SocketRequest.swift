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

    #if !hasFeature(Embedded)
        /// - Throws: `.malformed` and `.invalid`. A type that this version doesn't know is ``unknown``.
        public init(json: some Collection<UInt8>) throws(WireError) {
            self = try JSONObject.read(json) { SocketRequest($0) }
        }
    #endif

    private init(_ object: JSONObject) {
        switch object.requiredString("type") {
        case "say": self = .say(RoomAddress(object), body: object.requiredString("body"))
        case "join": self = .join(RoomHandshake(object))
        case "leave": self = .leave(RoomAddress(object))
        case "hints": self = .hints(lastEventID: object.string("lastEventID"))
        default: self = .unknown
        }
    }
}

extension RoomAddress {
    fileprivate init(_ object: JSONObject) {
        self.init(RoomID(object.requiredBits("room")), on: ListID(object.requiredBits("list")))
    }
}

extension RoomHandshake {
    fileprivate init(_ object: JSONObject) {
        let room = RoomAddress(object)
        self.init(
            version: object.integer("version") ?? Self.unnamedVersion, room: room.id, list: room.list,
            author: AccountID(object.requiredBits("author")), device: DeviceID(object.requiredBits("device")),
            timestamp: object.requiredInteger("timestamp"), nonce: object.requiredString("nonce"),
            signature: object.requiredString("signature"))
    }
}
