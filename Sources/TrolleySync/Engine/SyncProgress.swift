public import TrolleyJournal
import TrolleyWire

/// How a device stands with the service at this moment, for a person to see.
public enum SyncProgress: Hashable, Sendable {
    /// All is sent, and nothing goes on.
    case idle
    /// So many changes wait to be sent, and nothing stands in their way.
    case queued(Int)
    /// So many of so many changes were sent.
    case sending(done: Int, of: Int)
    /// Looks for news; so many have come.
    case fetching(received: Int)
    /// Tries again by itself then; so many changes wait.
    case waiting(until: Timestamp, queued: Int)
    /// Doesn't go on by itself, and why; so many changes wait.
    case blocked(SyncFailure, queued: Int)
}

extension SyncProgress {
    /// - Returns: nil when the action says nothing new to a person.
    init?(_ action: SyncMachine.Action, _ report: SyncReport) {
        switch action {
        case .upload: self = .sending(done: report.sent, of: report.sent + report.waiting)
        case .fetch: self = .fetching(received: report.received)
        case .finish(let report): self.init(report)
        case .look, .askLimits, .publish, .reject, .apply: return nil
        }
    }

    /// How things stand after a run.
    public init(_ report: SyncReport) {
        if let failure = report.failure {
            if let nextTry = report.nextTry {
                self = .waiting(until: nextTry, queued: report.waiting)
            } else {
                self = .blocked(failure, queued: report.waiting)
            }
        } else {
            self = report.waiting > 0 ? .queued(report.waiting) : .idle
        }
    }
}

extension SyncProgress: CustomStringConvertible {
    public var description: String {
        switch self {
        case .idle: "All changes are sent."
        case .queued(let count): "\(Self.changes(count)) to be sent."
        case .sending(let done, let all): "Sending \(min(done + 1, all)) of \(all)."
        case .fetching: "Looking for news."
        case .waiting(let time, let count): "Trying again at \(time); \(Self.changes(count)) to be sent."
        case .blocked(let failure, let count):
            "\(failure) \(count > 0 ? "\(Self.changes(count)) to be sent, and kept until then." : "")"
        }
    }

    private static func changes(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }
}
