public import TrolleyJournal

/// What a hail contains, sealed for its addressee: what a device needs to enter a room.
public struct RoomCredentials: Hashable, Sendable {
    public static let currentVersion: Int64 = 1
    /// Bytes of a secret.
    public static let secretBytes = 32

    public var version: Int64
    public var room: RoomID
    /// 256 random bits.
    public var secret: [UInt8]
    /// By the service's clock, as the sender knows it.
    public var createdAt: Timestamp
    public var expiresAt: Timestamp

    public init(
        room: RoomID, secret: [UInt8], createdAt: Timestamp, expiresAt: Timestamp,
        version: Int64 = RoomCredentials.currentVersion
    ) {
        self.version = version
        self.room = room
        self.secret = secret
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

extension RoomCredentials {
    /// The JSON: `ver`, `roomID`, `secret` in base64url, `createdAt`, `expiresAt`.
    public var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("ver", version)
            writer.member("roomID", room)
            writer.member("secret", Base64URL.encode(secret))
            writer.member("createdAt", createdAt)
            writer.member("expiresAt", expiresAt)
        }
        return writer.bytes
    }

    /// - Throws: `.malformed`; `.invalid` for another version, and for a secret that is not 256 bits.
    public init(json: some Collection<UInt8>) throws(WireError) {
        self = try JSONReader.read(json) { (reader) throws(WireError) in try RoomCredentials(from: &reader) }
    }

    init(from reader: inout JSONReader) throws(WireError) {
        var version: Int64?
        var room: RoomID?
        var secret: [UInt8]?
        var (created, expires): (Timestamp?, Timestamp?)
        try reader.object { (key, reader) throws(WireError) in
            switch key {
            case "ver": version = try reader.integer()
            case "roomID": room = try reader.identifier()
            case "secret": secret = Base64URL.decode(try reader.string())
            case "createdAt": created = try reader.timestamp()
            case "expiresAt": expires = try reader.timestamp()
            default: try reader.skip()
            }
        }
        guard version == Self.currentVersion else { throw .invalid("a hail of another version") }
        guard let room, let secret, secret.count == Self.secretBytes, let created, let expires else {
            throw .invalid("a hail needs roomID, a secret of 256 bits, createdAt and expiresAt")
        }
        self.init(room: room, secret: secret, createdAt: created, expiresAt: expires)
    }
}
