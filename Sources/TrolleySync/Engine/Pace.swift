public import TrolleyJournal
public import TrolleyWire

/// How fast the device may go. It survives a restart.
public struct Pace: Hashable, Sendable, Codable {
    /// Failures since something last worked.
    public var failures = 0
    /// When the first of them was.
    public var failingSince: Timestamp?
    /// Not before then, unless by hand.
    public var nextTry: Timestamp?
    /// Whether it was the service that named `nextTry`.
    public var askedToWait = false
    /// The limits that the service last told of.
    public var limits: Limits?
    /// Entries in a request, as learned from a refusal.
    public var learnedEntries: Int?
    /// Until when that is believed; then it grows again, twofold each time.
    public var learnedUntil: Timestamp?
    /// What runs have failed with lately, newest first; the service is told with the next one that succeeds.
    public var lately: [PastFailure]?
    /// When the device last compared its lists with the service's.
    public var digestsComparedAt: Timestamp?
    /// Whether something has happened since that makes it worth comparing.
    public var wantsDigests: Bool?
    /// Since when the service hasn't known this device's session; nil: it knows it, or was not asked since.
    public var sessionEndedAt: Timestamp?

    public init() {}

    /// What the first and the longest wait may be, in milliseconds.
    static let firstWait: Int64 = 1000
    static let longestWait: Int64 = 300_000
    /// How long a learned limit is believed, in milliseconds.
    static let belief: Int64 = 600_000
    /// How long lists are not compared again, in milliseconds.
    static let digestPause: Int64 = 3_600_000

    /// Something worked.
    mutating func noteSuccess() {
        failures = 0
        failingSince = nil
        nextTry = nil
        askedToWait = false
        sessionEndedAt = nil
    }

    /// Waits as long as the service asks, else exponentially longer with full jitter, so that devices that lost the
    /// same service don't come back in step (Marc Brooker, "Exponential Backoff And Jitter").
    /// - Parameter random: in 0..<1.
    mutating func noteFailure(retryAfter: Int?, at now: Timestamp, random: Double) {
        failures += 1
        failingSince = failingSince ?? now
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
        case .ownChange, .network: askedToWait
        case .launch, .push, .timer: true
        }
    }

    /// Entries to put into one request.
    func entriesPerRequest(at now: Timestamp) -> Int {
        let stated = max(1, (limits ?? Limits()).entriesPerRequest)
        guard let learnedEntries, let learnedUntil else { return stated }
        guard now >= learnedUntil else { return min(stated, learnedEntries) }
        let (late, overflow) = now.milliseconds.subtractingReportingOverflow(learnedUntil.milliseconds)
        let doublings = overflow ? Self.doublings : min(Self.doublings, late / Self.belief + 1)
        // In 64 bits everywhere: an `Int` has 32 in WebAssembly.
        return Int(min(Int64(stated), Int64(learnedEntries) << doublings))
    }

    /// After so many nothing is left of what was learned.
    private static let doublings: Int64 = 20

    mutating func learn(entries: Int, at now: Timestamp) {
        learnedEntries = min(entries, 1 << 30)
        learnedUntil = now.advanced(byMilliseconds: Self.belief)
    }

    mutating func forgetLearned() {
        learnedEntries = nil
        learnedUntil = nil
    }

    /// Whether this run is to compare lists with the service's: when the program starts, when somebody asks, or when
    /// compression has been at work; and not more often than once an hour.
    func comparesDigests(at now: Timestamp, trigger: Trigger) -> Bool {
        guard trigger == .launch || trigger == .byHand || wantsDigests == true else { return false }
        guard let digestsComparedAt else { return true }
        // A wall clock that was set back must not stop it for good.
        return now >= digestsComparedAt.advanced(byMilliseconds: Self.digestPause) || now < digestsComparedAt
    }

    mutating func noteDigestsCompared(at now: Timestamp) {
        digestsComparedAt = now
        wantsDigests = nil
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
    /// The network is back: only the service's word holds it up.
    case network
    /// It is time for the next try, or to look.
    case timer
    /// The person asked for it, and it happens at once.
    case byHand
}
