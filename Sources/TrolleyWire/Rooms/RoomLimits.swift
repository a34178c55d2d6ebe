/// Limits on rooms and their sockets. `GET /v1/config` contains the limits in force.
public struct RoomLimits: Hashable, Sendable, Codable {
    /// Sockets in one room, in all service processes together.
    public var socketsPerRoom: Int
    /// Sockets of one device; the oldest makes room for a new one.
    public var socketsPerDevice: Int
    /// Sockets of one account's devices together.
    public var socketsPerAccount: Int
    /// Sockets from one address (IPv6: from one /64 network).
    public var socketsPerAddress: Int
    /// Rooms that one socket is in.
    public var roomsPerSocket: Int
    /// Rooms of one list at the same time; the oldest makes way for a new one.
    public var roomsPerList: Int
    /// Messages per second that one socket may send. Unused ones are saved up for two seconds.
    public var messagesPerSecond: Int
    /// Bytes of one message.
    public var bytesPerMessage: Int
    /// Characters of the body of `say`.
    public var charactersPerBody: Int
    /// Milliseconds from a room's making to its end.
    public var roomLifetime: Int64
    /// Milliseconds after which a hail that nobody took is deleted.
    public var hailLifetime: Int64

    public init(
        socketsPerRoom: Int = 100, socketsPerDevice: Int = 2, socketsPerAccount: Int = 50,
        socketsPerAddress: Int = 1000, roomsPerSocket: Int = 8, roomsPerList: Int = 8, messagesPerSecond: Int = 50,
        bytesPerMessage: Int = 8 << 10, charactersPerBody: Int = 4 << 10, roomLifetime: Int64 = 3_600_000,
        hailLifetime: Int64 = 120_000
    ) {
        self.socketsPerRoom = socketsPerRoom
        self.socketsPerDevice = socketsPerDevice
        self.socketsPerAccount = socketsPerAccount
        self.socketsPerAddress = socketsPerAddress
        self.roomsPerSocket = roomsPerSocket
        self.roomsPerList = roomsPerList
        self.messagesPerSecond = messagesPerSecond
        self.bytesPerMessage = bytesPerMessage
        self.charactersPerBody = charactersPerBody
        self.roomLifetime = roomLifetime
        self.hailLifetime = hailLifetime
    }
}
