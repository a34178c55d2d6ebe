/// The reason for a run.
public enum Trigger: String, CaseIterable, Hashable, Sendable {
    /// The device's program starts.
    case launch
    /// The person changed something. The network may be back, so only a wait that the service asked for delays the run.
    case ownChange
    /// The service hinted at new changes.
    case push
    /// The network is back. Only a wait that the service asked for delays the run.
    case network
    /// The next try is due, or the interval has passed.
    case timer
    /// The person asked for it. Nothing delays the run.
    case manual
}

extension Trigger {
    /// The precedence of a run with this trigger. A run of a higher precedence waits no longer than one of a lower, and does the
    /// same work. The one exception is `launch`, whose run compares digests: ``TriggerQueue`` keeps it.
    fileprivate var precedence: Int {
        switch self {
        case .timer: 0
        case .push: 1
        case .launch: 2
        case .network: 3
        case .ownChange: 4
        case .manual: 5
        }
    }

    /// Whether a run with this trigger does everything that a run with the other one does, no later.
    fileprivate func covers(_ other: Trigger) -> Bool {
        self == other || precedence > other.precedence && (other != .launch || self == .manual)
    }
}

/// The triggers that wait for the next run. Several become one, and none is lost: a hint that comes after a reconnection doesn't
/// make the device sit out a wait that has become pointless.
public struct TriggerQueue: Hashable, Sendable {
    private var waiting: [Trigger] = []

    public init() {}

    public var isEmpty: Bool { waiting.isEmpty }

    public mutating func add(_ trigger: Trigger) {
        guard !waiting.contains(where: { $0.covers(trigger) }) else { return }
        waiting.removeAll { trigger.covers($0) }
        waiting.append(trigger)
    }

    /// Takes the trigger of the next run: the one with the highest precedence.
    public mutating func take() -> Trigger? {
        guard let next = waiting.max(by: { $0.precedence < $1.precedence }) else { return nil }
        waiting.removeAll { $0 == next }
        return next
    }
}
