import TrolleyJournal

/// Why a message can't be read.
public enum WireError: Error, Hashable, Sendable {
    /// Not JSON (RFC 8259), or not valid UTF-8, at this byte of the message.
    case malformed(reason: String, offset: Int)
    /// JSON, but not the expected value.
    case invalid(String)
    /// Larger than one of the service's limits.
    case tooLarge(String)
}

extension WireError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed(let reason, let offset):
            String(joining: "not valid JSON: ", reason, " at byte ", String(offset))
        case .invalid(let what), .tooLarge(let what): what
        }
    }
}
