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
    /// Rooms of one list at the same time. Beyond it one makes way for a new one: of the account with the most rooms the oldest.
    public var roomsPerList: Int
    /// Messages per second that one device may send, on all its sockets. Unused ones are saved up for two seconds.
    public var messagesPerSecond: Int
    /// Messages per second that one account's devices may send together. Unused ones are saved up for two seconds.
    public var messagesPerSecondByAccount: Int
    /// Messages per second that may be said in one room. Unused ones are saved up for two seconds.
    public var messagesPerSecondByRoom: Int
    /// Bytes that wait for a client that doesn't read, beside what is live. Beyond it its socket ends.
    public var bytesUnread: Int
    /// Bytes of one message.
    public var bytesPerMessage: Int
    /// Characters of the body of `say`.
    public var charactersPerBody: Int
    /// Milliseconds from a room's making to its end.
    public var roomLifetime: Int64
    /// Milliseconds after which a hail that nobody took is deleted.
    public var hailLifetime: Int64
    /// Hails per minute that one account's devices may send.
    public var hailsPerMinuteByAccount: Int
    /// Hails of one account that wait on one list; its oldest make way for new ones.
    public var hailsPerList: Int

    public init(
        socketsPerRoom: Int = 100, socketsPerDevice: Int = 2, socketsPerAccount: Int = 50,
        socketsPerAddress: Int = 1000, roomsPerSocket: Int = 8, roomsPerList: Int = 8, messagesPerSecond: Int = 50,
        messagesPerSecondByAccount: Int = 200, messagesPerSecondByRoom: Int = 200, bytesUnread: Int = 64 << 10,
        bytesPerMessage: Int = 8 << 10, charactersPerBody: Int = 4 << 10, roomLifetime: Int64 = 3_600_000,
        hailLifetime: Int64 = 120_000, hailsPerMinuteByAccount: Int = 400, hailsPerList: Int = 200
    ) {
        self.socketsPerRoom = socketsPerRoom
        self.socketsPerDevice = socketsPerDevice
        self.socketsPerAccount = socketsPerAccount
        self.socketsPerAddress = socketsPerAddress
        self.roomsPerSocket = roomsPerSocket
        self.roomsPerList = roomsPerList
        self.messagesPerSecond = messagesPerSecond
        self.messagesPerSecondByAccount = messagesPerSecondByAccount
        self.messagesPerSecondByRoom = messagesPerSecondByRoom
        self.bytesUnread = bytesUnread
        self.bytesPerMessage = bytesPerMessage
        self.charactersPerBody = charactersPerBody
        self.roomLifetime = roomLifetime
        self.hailLifetime = hailLifetime
        self.hailsPerMinuteByAccount = hailsPerMinuteByAccount
        self.hailsPerList = hailsPerList
    }
}

#if !hasFeature(Embedded)
    extension RoomLimits {
        /// A limit that a service of an earlier version doesn't state has its default.
        public init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            self.init()
            socketsPerRoom = try values.decodeIfPresent(Int.self, forKey: .socketsPerRoom) ?? socketsPerRoom
            socketsPerDevice = try values.decodeIfPresent(Int.self, forKey: .socketsPerDevice) ?? socketsPerDevice
            socketsPerAccount = try values.decodeIfPresent(Int.self, forKey: .socketsPerAccount) ?? socketsPerAccount
            socketsPerAddress = try values.decodeIfPresent(Int.self, forKey: .socketsPerAddress) ?? socketsPerAddress
            roomsPerSocket = try values.decodeIfPresent(Int.self, forKey: .roomsPerSocket) ?? roomsPerSocket
            roomsPerList = try values.decodeIfPresent(Int.self, forKey: .roomsPerList) ?? roomsPerList
            messagesPerSecond = try values.decodeIfPresent(Int.self, forKey: .messagesPerSecond) ?? messagesPerSecond
            messagesPerSecondByAccount =
                try values.decodeIfPresent(Int.self, forKey: .messagesPerSecondByAccount) ?? messagesPerSecondByAccount
            messagesPerSecondByRoom =
                try values.decodeIfPresent(Int.self, forKey: .messagesPerSecondByRoom) ?? messagesPerSecondByRoom
            bytesUnread = try values.decodeIfPresent(Int.self, forKey: .bytesUnread) ?? bytesUnread
            bytesPerMessage = try values.decodeIfPresent(Int.self, forKey: .bytesPerMessage) ?? bytesPerMessage
            charactersPerBody = try values.decodeIfPresent(Int.self, forKey: .charactersPerBody) ?? charactersPerBody
            roomLifetime = try values.decodeIfPresent(Int64.self, forKey: .roomLifetime) ?? roomLifetime
            hailLifetime = try values.decodeIfPresent(Int64.self, forKey: .hailLifetime) ?? hailLifetime
            hailsPerMinuteByAccount =
                try values.decodeIfPresent(Int.self, forKey: .hailsPerMinuteByAccount) ?? hailsPerMinuteByAccount
            hailsPerList = try values.decodeIfPresent(Int.self, forKey: .hailsPerList) ?? hailsPerList
        }
    }
#endif
