/// What a person wants to be told of a list.
public enum NotificationLevel: String, CaseIterable, Hashable, Sendable, Codable {
    /// Messages and added items at once, and summaries: push subscriptions and webhooks get a notice of them while the
    /// session goes on.
    case all
    /// Summaries. This is the default.
    case summaries
    /// The service makes no summaries for the person.
    case nothing
}
