/// A message that a session sent with NOTIFY.
public struct Notification: Hashable, Sendable {
    public let channel: String
    public let payload: String

    public init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
