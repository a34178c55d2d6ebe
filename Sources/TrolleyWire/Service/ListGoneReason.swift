/// Why a device may no longer see a list.
public enum ListGoneReason: String, CaseIterable, Hashable, Sendable, Codable {
    /// The owner deleted it.
    case deleted
    /// The owner stopped sharing it.
    case stoppedSharing
    /// This account was removed from it, or left it.
    case removed
    /// The owner's account was deleted.
    case accountDeleted
}

extension ListGoneReason {
    /// The reason as a sentence for a person.
    public var sentence: String {
        switch self {
        case .deleted: "The owner deleted the list."
        case .stoppedSharing: "The owner stopped sharing the list."
        case .removed: "You are no longer on the list."
        case .accountDeleted: "The owner's account is gone."
        }
    }
}
