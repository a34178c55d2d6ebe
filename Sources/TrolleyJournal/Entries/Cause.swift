/// Why an entry was made.
public enum Cause: String, CaseIterable, Hashable, Sendable, Codable {
    case edit, undo, redo
}
