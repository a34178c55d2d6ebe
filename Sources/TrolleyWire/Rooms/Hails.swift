public import TrolleyJournal

/// `POST /v1/lists/{id}/hails`: makes a room, or invites more devices to the account's room.
public struct HailsRequest: Hashable, Sendable, Codable {
    /// Chosen at random by the device that makes the room.
    public var room: RoomID
    /// The room's handshake key: 32 bytes in base64url, derived from the secret.
    public var key: String
    public var hails: [Outgoing]

    /// A hail to one device.
    public struct Outgoing: Hashable, Sendable, Codable {
        public var to: DeviceID
        /// A ``RoomCredentials`` that only that device can open, in base64url.
        public var sealed: String

        public init(to: DeviceID, sealed: String) {
            self.to = to
            self.sealed = sealed
        }
    }

    public init(room: RoomID, key: String, hails: [Outgoing]) {
        self.room = room
        self.key = key
        self.hails = hails
    }

    /// Hails in one request.
    public static let maximumHails = 100
    /// Characters of a sealed hail.
    public static let maximumSealed = 1024
}

/// The answer to `POST /v1/lists/{id}/hails`.
public struct HailsResponse: Hashable, Sendable, Codable {
    public var room: RoomID
    /// When the room ends.
    public var expiresAt: Timestamp
    /// The devices that were hailed. The others don't have the list open, or are not of people on the list.
    public var hailed: [DeviceID]

    public init(room: RoomID, expiresAt: Timestamp, hailed: [DeviceID]) {
        self.room = room
        self.expiresAt = expiresAt
        self.hailed = hailed
    }
}

/// `GET /v1/lists/{id}/hails`: the hails to this device.
public struct HailsList: Hashable, Sendable, Codable {
    public var hails: [Hail]

    public init(hails: [Hail]) { self.hails = hails }
}

/// A device's invitation to a room. Its addressee deletes it.
public struct Hail: Hashable, Sendable, Codable {
    public var id: HailID
    public var room: RoomID
    /// The sender. The service sets it from the session.
    public var author: AccountID
    public var device: DeviceID
    /// A ``RoomCredentials`` that only the addressee can open, in base64url.
    public var sealed: String
    public var createdAt: Timestamp
    public var expiresAt: Timestamp

    public init(
        id: HailID, room: RoomID, author: AccountID, device: DeviceID, sealed: String, createdAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.id = id
        self.room = room
        self.author = author
        self.device = device
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
