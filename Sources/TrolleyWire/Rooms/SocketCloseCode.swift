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
