public import TrolleyJournal
public import TrolleyWire

/// How fast the device may go. It survives a restart.
public struct Pace: Hashable, Sendable, Codable {
    /// Failures since something last worked.
    public var failures = 0
    /// Not before then, unless by hand.
    public var nextTry: Timestamp?
    /// Whether it was the service that named `nextTry`.
    public var askedToWait = false
    /// The limits that the service last told of.
    public var limits: Limits?
    /// Entries in a request, as learned from a refusal.
    public var learnedEntries: Int?
    /// Until when that is believed.
    public var learnedUntil: Timestamp?
    /// What runs have failed with lately, newest first; the service is told with the next one that succeeds.
    public var lately: [PastFailure]?

    public init() {}

    /// What the first and the longest wait may be, in milliseconds.
    static let firstWait: Int64 = 1000
    static let longestWait: Int64 = 300_000
    /// How long a learned limit is believed, in milliseconds.
    static let belief: Int64 = 600_000

    /// Something worked.
    mutating func noteSuccess() {
        failures = 0
        nextTry = nil
        askedToWait = false
    }

    /// Waits as long as the service asks, else exponentially longer with full jitter, so that devices that lost the
    /// same service don't come back in step (Marc Brooker, "Exponential Backoff And Jitter").
    /// - Parameter random: in 0..<1.
    mutating func noteFailure(retryAfter: Int?, at now: Timestamp, random: Double) {
        failures += 1
        askedToWait = retryAfter != nil
        if let retryAfter {
            let year = 31_536_000
            nextTry = now.advanced(byMilliseconds: Int64(min(max(0, retryAfter), year)) * 1000)
        } else {
            let ceiling = min(Self.longestWait, Self.firstWait << Int64(min(failures - 1, 20)))
            nextTry = now.advanced(byMilliseconds: Int64(Double(ceiling) * random))
        }
    }

    /// Whether a run that `trigger` starts must wait still.
    func mustWait(at now: Timestamp, trigger: Trigger) -> Bool {
        // A wall clock that was set back must not stop the device for longer than it would ever wait by itself.
        guard let nextTry, now < nextTry, askedToWait || nextTry < now.advanced(byMilliseconds: Self.longestWait * 2)
        else { return false }
        return switch trigger {
        case .byHand: false
        case .ownChange: askedToWait
        case .launch, .push, .timer: true
        }
    }

    /// Entries to put into one request.
    func entriesPerRequest(at now: Timestamp) -> Int {
        let stated = max(1, (limits ?? Limits()).entriesPerRequest)
        guard let learnedEntries, let learnedUntil, now < learnedUntil else { return stated }
        return min(stated, learnedEntries)
    }

    mutating func learn(entries: Int, at now: Timestamp) {
        learnedEntries = entries
        learnedUntil = now.advanced(byMilliseconds: Self.belief)
    }

    mutating func forgetLearned() {
        learnedEntries = nil
        learnedUntil = nil
    }
}

/// What starts a run.
public enum Trigger: String, Hashable, Sendable {
    /// The device's program starts.
    case launch
    /// The person changed something. They are there, so the network may be back: only the service's word holds it up.
    case ownChange
    /// The service hinted that something is new.
    case push
    /// It is time for the next try, or to look.
    case timer
    /// The person asked for it, and it happens at once.
    case byHand
}
