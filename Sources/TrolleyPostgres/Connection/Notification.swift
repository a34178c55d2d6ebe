/// A message that a session sent with NOTIFY.
package struct Notification: Hashable, Sendable {
    package let channel: String
    package let payload: String

    package init(channel: String, payload: String) {
        self.channel = channel
        self.payload = payload
    }
}
