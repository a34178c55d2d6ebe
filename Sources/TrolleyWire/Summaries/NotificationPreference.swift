/// `PUT /v1/lists/{id}/notifications`, and the answer to `GET` and `PUT`. It holds for the account on all its devices.
public struct NotificationPreference: Hashable, Sendable, Codable {
    public var level: NotificationLevel

    public init(level: NotificationLevel) { self.level = level }
}
