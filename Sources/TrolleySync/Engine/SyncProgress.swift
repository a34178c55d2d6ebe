public import TrolleyJournal
import TrolleyWire

/// The state of synchronization, for a person.
public enum SyncProgress: Hashable, Sendable {
    /// Everything is sent, and no run is in progress.
    case idle
    /// This many changes wait to be sent, and nothing prevents it.
    case queued(Int)
    /// The number of changes that are sent, of all changes to send.
    case sending(done: Int, of: Int)
    /// Fetching; the number of changes received so far.
    case fetching(received: Int)
    /// The device will retry at this time; the number of changes that wait.
    case waiting(until: Timestamp, queued: Int)
    /// The device can't continue by itself, and why; the number of changes that wait.
    case blocked(SyncFailure, queued: Int)
}

extension SyncProgress {
    /// - Returns: nil when the action doesn't change the progress.
    init?(_ action: SyncMachine.Action, _ report: SyncReport) {
        switch action {
        case .upload: self = .sending(done: report.sent, of: report.sent + report.waiting)
        case .fetch: self = .fetching(received: report.received)
        case .finish(let report): self.init(report)
        case .readStatus, .fetchLimits, .publish, .reject, .delete, .apply: return nil
        }
    }

    /// The progress after a run.
    public init(_ report: SyncReport) {
        if case .stopped? = report.failure {
            self = report.waiting > 0 ? .queued(report.waiting) : .idle
        } else if let failure = report.failure {
            if let nextTry = report.nextTry {
                self = .waiting(until: nextTry, queued: report.waiting)
            } else {
                self = .blocked(failure, queued: report.waiting)
            }
        } else if report.waiting > 0 {
            self = report.nextTry.map { .waiting(until: $0, queued: report.waiting) } ?? .queued(report.waiting)
        } else {
            self = .idle
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
        // The description has no time: programs format it in the person's time zone.
        case .waiting(_, let count): "Waiting to try again; \(Self.changes(count)) to be sent."
        case .blocked(let failure, let count):
            "\(failure) \(count > 0 ? "\(Self.changes(count)) to be sent, and kept until then." : "")"
        }
    }

    private static func changes(_ count: Int) -> String { count == 1 ? "1 change" : "\(count) changes" }
}
