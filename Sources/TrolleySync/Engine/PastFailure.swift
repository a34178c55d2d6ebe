public import TrolleyJournal
import TrolleyWire

/// What runs have failed with, or entries were refused for, and how often.
public struct PastFailure: Hashable, Sendable, Codable {
    /// The word that ``QueueReport`` has for it.
    public var code: String
    public var count: Int
    /// When it was met last, by the device's wall clock.
    public var at: Timestamp

    public init(code: String, count: Int, at: Timestamp) {
        self.code = code
        self.count = count
        self.at = at
    }
}

extension Pace {
    /// How long a failure is told of, in milliseconds.
    private static let memory: Int64 = 7 * 86_400_000

    /// Remembers what a run has failed with.
    package mutating func note(_ failure: SyncFailure?, at now: Timestamp) {
        guard let code = failure?.word else { return }
        var past = lately ?? []
        let count = (past.first { $0.code == code }?.count ?? 0) + 1
        past.removeAll { $0.code == code || $0.at < now.advanced(byMilliseconds: -Self.memory) }
        past.insert(PastFailure(code: code, count: count, at: now), at: 0)
        lately = Array(past.prefix(QueueReport.mostFailures))
    }
}

extension SyncFailure {
    /// What kind of failure it is, in one word; nil where nothing was tried.
    var word: String? {
        switch self {
        case .notSignedIn, .tooEarly, .underWay: nil
        case .transport(.problem(let problem)): problem.code.rawValue
        case .transport(.unreachable): "unreachable"
        case .transport(.notUnderstood): "notUnderstood"
        case .store: "store"
        }
    }
}
