/// The versions of the Model Context Protocol that are spoken here.
package enum AssistantVersion {
    /// The version in which each request stands for itself.
    package static let present = "2026-07-28"
    /// The versions that begin with a handshake, the newest first.
    package static let earlier = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    package static let all = [present] + earlier

    /// The version that a handshake agrees on.
    /// - Parameter wanted: the version that the client asks for.
    static func agreed(on wanted: String?) -> String { earlier.first { $0 == wanted } ?? earlier[0] }
}
