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
