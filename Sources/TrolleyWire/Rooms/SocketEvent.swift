public import TrolleyJournal

/// A message from the service to a device, on a socket: one JSON text.
public enum SocketEvent: Hashable, Sendable {
    /// The device is in the room, for `remaining` milliseconds at most. `others` are in it already.
    case joined(RoomID, remaining: Int64, others: [RoomMember])
    case entered(RoomID, RoomMember)
    case left(RoomID, DeviceID)
    /// Somebody else's `say`. The service vouches for the sender.
    case said(RoomID, from: RoomMember, body: String)
    /// The device is no longer in the room.
    case closed(RoomID, RoomClosure)
    /// A request on this socket was refused. The socket stays open.
    /// - Parameter room: the room that the request named.
    case refused(RoomID?, ProblemCode, detail: String?)
    /// A hint, as of `GET /v1/events`: `changed`, `gone`, `presence`, `hail` or `sync`.
    /// - Parameters:
    ///   - id: for `lastEventID` on the next socket.
    case hint(String, list: ListID?, sequence: SequenceNumber?, id: String)
    /// A message of a later version.
    case unknown
}

/// A device in a room.
public struct RoomMember: Hashable, Sendable {
    public var account: AccountID
    public var device: DeviceID

    public init(account: AccountID, device: DeviceID) {
        self.account = account
        self.device = device
    }
}

/// Why a device is no longer in a room.
public enum RoomClosure: String, CaseIterable, Hashable, Sendable {
    /// The device left.
    case left
    /// The room's time is over.
    case expired
    /// The account is no longer on the list, or the list is gone.
    case removed
    /// The service can't check the list's people just now.
    case unavailable
}

/// The codes with which the service closes a socket, besides those of RFC 6455 §7.4.1.
public enum SocketCloseCode {
    /// The device has opened a newer socket.
    public static let replaced: UInt16 = 4000
    /// The account is no longer on the list of the socket's only room.
    public static let removed: UInt16 = 4001
    /// The time of the socket's only room is over.
    public static let expired: UInt16 = 4002
    /// The device was signed out.
    public static let signedOut: UInt16 = 4003
    /// The device sent too many messages.
    public static let tooManyMessages: UInt16 = 4029
}
