public import TrolleyJournal
public import TrolleyWire

/// What a device does next about its room.
public enum RoomAction: Hashable, Sendable {
    /// Make a secret and a room, hail these devices in one request, and report ``RoomMachine/made(_:hailing:at:)``.
    case makeRoom(hailing: [PresentDevice])
    /// Hail more devices to the room.
    case hail(RoomCredentials, [PresentDevice])
    /// Delete a hail to this device at the service.
    case deleteHail(HailID)
    /// Open a socket into the room, and report ``RoomMachine/opened(_:others:at:)`` or ``RoomMachine/closed(_:isRefused:)``.
    case connect(RoomCredentials)
    /// Close the socket.
    case disconnect(RoomID)
    /// Seal the frame and send it to the others.
    case send(RoomFrame)
    /// Fetch: the journal has news.
    case fetch
    /// Tell the person that somebody else marks off the same item.
    case doubleBuy(ItemID, by: AccountID)
}
