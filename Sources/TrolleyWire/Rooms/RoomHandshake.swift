public import TrolleyJournal

/// What a device shows to enter a room: the query of `GET /rooms/{room}/socket`, or the members of a `join` message.
///
/// `signature` is HMAC-SHA256 over ``signedText`` with the room's handshake key, which is derived from the room's
/// secret. So the secret itself never reaches the service.
public struct RoomHandshake: Hashable, Sendable {
    /// The version of ``signedText``. Version 1 had no list, and opens no room any more.
    public var version: Int64
    public var room: RoomID
    /// The room's list.
    public var list: ListID
    /// The account, which must be the one of the session.
    public var author: AccountID
    /// The device, which must be the one of the session.
    public var device: DeviceID
    /// Milliseconds since 1970, by the service's clock.
    public var timestamp: Int64
    /// 16 random bytes, in base64url. A room takes each nonce once.
    public var nonce: String
    /// 32 bytes, in base64url.
    public var signature: String

    /// The room that it opens.
    package var address: RoomAddress { RoomAddress(room, on: list) }

    /// Bytes of a nonce.
    public static let nonceBytes = 16
    /// Bytes of a signature.
    public static let signatureBytes = 32
    /// Milliseconds by which the timestamp may differ from the service's clock.
    public static let clockWindow: Int64 = 30_000

    /// The version that devices sign and the service accepts.
    public static let currentVersion: Int64 = 2
    /// The version of a handshake that names none.
    public static let unnamedVersion: Int64 = 1

    public init(
        version: Int64 = RoomHandshake.currentVersion, room: RoomID, list: ListID, author: AccountID, device: DeviceID,
        timestamp: Int64, nonce: String,
        signature: String = ""
    ) {
        self.version = version
        self.room = room
        self.list = list
        self.author = author
        self.device = device
        self.timestamp = timestamp
        self.nonce = nonce
        self.signature = signature
    }

    /// The text that is signed: `trolley room 2|list|room|author|device|timestamp|nonce`. The list is in it because an id
    /// alone doesn't name a room.
    public var signedText: String {
        "trolley room \(version)|\(list)|\(room)|\(author)|\(device)|\(timestamp)|\(nonce)"
    }

    /// The query of `GET /rooms/{room}/socket`. No value needs escaping.
    public var query: String {
        "version=\(version)&list=\(list)&author=\(author)&device=\(device)&timestamp=\(timestamp)&nonce=\(nonce)"
            + "&signature=\(signature)"
    }

    /// The labels for deriving keys from a room's secret with HKDF-SHA256 (RFC 5869), whose salt is the room's id as
    /// text. The service knows the handshake key only; devices seal frames with the frame key.
    public static let handshakeKeyInfo = "trolley room handshake 1"
    public static let frameKeyInfo = "trolley room frames 1"

    /// The nonce's bytes; nil when it is not 16 bytes in base64url.
    package var nonceValue: [UInt8]? { Base64URL.decode(nonce).flatMap { $0.count == Self.nonceBytes ? $0 : nil } }
    /// The signature's bytes; nil when it is not 32 bytes in base64url.
    package var signatureValue: [UInt8]? {
        Base64URL.decode(signature).flatMap { $0.count == Self.signatureBytes ? $0 : nil }
    }
}

extension RoomHandshake {
    func writeMembers(to writer: inout JSONWriter) {
        writer.member("version", version)
        writer.member("room", room)
        writer.member("list", list)
        writer.member("author", author)
        writer.member("device", device)
        writer.member("timestamp", timestamp)
        writer.member("nonce", nonce)
        writer.member("signature", signature)
    }
}
