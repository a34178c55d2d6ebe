/// What a person wants to be told of a list.
public enum NotificationLevel: String, CaseIterable, Hashable, Sendable, Codable {
    /// Each change. The service makes summaries, too; the device tells of changes, which the event stream announces.
    case all
    /// Summaries. This is the default.
    case summaries
    /// The service makes no summaries for the person.
    case nothing
}
