public import TrolleyJournal

/// A message from the service to a device, on a socket: one JSON text.
public enum SocketEvent: Hashable, Sendable {
    /// The device is in the room, for `remaining` milliseconds at most. `others` are in it already.
    case joined(RoomAddress, remaining: Int64, others: [RoomMember])
    case entered(RoomAddress, RoomMember)
    case left(RoomAddress, DeviceID)
    /// Somebody else's `say`. The service vouches for the sender.
    case said(RoomAddress, from: RoomMember, body: String)
    /// The device is no longer in the room.
    case closed(RoomAddress, RoomClosure)
    /// A request on this socket was refused. The socket stays open.
    /// - Parameter room: the room that the request named.
    case refused(RoomAddress?, ProblemCode, detail: String?)
    /// A hint, as of `GET /v1/events`: `changed`, `gone`, `presence`, `hail`, `summary` or `sync`.
    /// - Parameters:
    ///   - id: for `lastEventID` on the next socket.
    case hint(String, list: ListID?, sequence: SequenceNumber?, id: String)
    /// Messages to this socket may have been lost, so the device asks once for what is live.
    case missed
    /// A message of a later version.
    case unknown
}
