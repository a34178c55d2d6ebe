public import TrolleyJournal
import TrolleyWire

/// A kind of failure of runs, or of rejection of entries, and how often it occurred.
public struct PastFailure: Hashable, Sendable {
    /// The code that ``QueueReport`` has for it.
    public var code: String
    public var count: Int
    /// When it last occurred, by the device's wall clock.
    public var at: Timestamp

    public init(code: String, count: Int, at: Timestamp) {
        self.code = code
        self.count = count
        self.at = at
    }
}

extension RetryState {
    /// How long a failure is reported, in milliseconds.
    private static let memory: Int64 = 7 * 86_400_000

    /// Records a run's failure.
    package mutating func note(_ failure: SyncFailure?, at now: Timestamp) {
        endWaits(ifSetBackAt: now)
        guard let code = failure?.word else { return }
        var past = lately ?? []
        let count = (past.first { $0.code.hasSameBytes(as: code) }?.count ?? 0) + 1
        past.removeAll { $0.code.hasSameBytes(as: code) || $0.at < now.advanced(byMilliseconds: -Self.memory) }
        past.insert(PastFailure(code: code, count: count, at: now), at: 0)
        lately = Array(past.prefix(QueueReport.maxFailures))
    }
}

extension SyncFailure {
    /// The kind of failure in one word: the service's code, `unreachable`, `notUnderstood` or `store`; nil if nothing
    /// was tried, or the caller stopped the run.
    public var word: String? {
        switch self {
        case .notSignedIn, .tooEarly, .alreadyRunning, .stopped: nil
        case .transport(.problem(let problem)): problem.code.rawValue
        case .transport(.unreachable): "unreachable"
        case .transport(.notUnderstood): "notUnderstood"
        case .store: "store"
        }
    }
}
