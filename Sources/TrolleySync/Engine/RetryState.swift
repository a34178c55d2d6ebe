public import TrolleyJournal
public import TrolleyWire

/// The device's state of retries and limits. It survives a restart.
public struct RetryState: Hashable, Sendable {
    /// The number of failures since the last success.
    public var failures = 0
    /// When the first of these failures was.
    public var failingSince: Timestamp?
    /// The earliest time of the next try, unless the person asks for it.
    public var nextTry: Timestamp?
    /// Whether the service set `nextTry`.
    public var askedToWait = false
    /// The limits that the service announced last.
    public var limits: Limits?
    /// The largest number of entries in a request, learned from a refusal.
    public var learnedEntries: Int?
    /// Until when `learnedEntries` holds; afterwards the number doubles again and again.
    public var learnedUntil: Timestamp?
    /// Recent failures of runs, newest first. The next successful run reports them to the service.
    public var lately: [PastFailure]?
    /// When the device last compared its lists with the service's.
    public var digestsComparedAt: Timestamp?
    /// Whether a reason to compare digests has come up since.
    public var wantsDigests: Bool?
    /// Since when the service hasn't known this device's session; nil: it knows the session, or has not been asked
    /// since.
    public var sessionEndedAt: Timestamp?
    /// Lists that wait by themselves, because the service was busy with just these lists. The others go on.
    public var lists: [ListWait]?

    public init() {}

    /// The longest first wait, and the longest wait of all, in milliseconds.
    static let initialWait: Int64 = 1000
    static let maxWait: Int64 = 300_000
    /// How long a learned limit holds, in milliseconds.
    static let learnedLimitLifetime: Int64 = 600_000
    /// The shortest time between two comparisons of digests, in milliseconds.
    static let digestInterval: Int64 = 3_600_000

    /// Records a success.
    mutating func noteSuccess() {
        failures = 0
        failingSince = nil
        nextTry = nil
        askedToWait = false
        sessionEndedAt = nil
    }

    /// Records a failure. The wait is as long as the service asks; otherwise it grows exponentially with full jitter,
    /// so that devices that lost the same service don't retry at the same times (Marc Brooker, "Exponential Backoff And
    /// Jitter").
    /// - Parameter random: in 0..<1.
    mutating func noteFailure(retryAfter: Int?, at now: Timestamp, random: Double) {
        endWaits(ifSetBackAt: now)
        failures += 1
        failingSince = failingSince ?? now
        askedToWait = retryAfter != nil
        nextTry = Self.nextTry(failures: failures, retryAfter: retryAfter, at: now, random: random)
    }

    private static func nextTry(failures: Int, retryAfter: Int?, at now: Timestamp, random: Double) -> Timestamp {
        if let retryAfter {
            let year = 31_536_000
            return now.advanced(byMilliseconds: Int64(min(max(0, retryAfter), year)) * 1000)
        }
        let ceiling = min(maxWait, initialWait << Int64(min(failures - 1, 20)))
        return now.advanced(byMilliseconds: Int64(Double(ceiling) * random))
    }

    /// Whether a run with this trigger must still wait.
    func mustWait(at now: Timestamp, trigger: Trigger) -> Bool {
        nextTry.map { Self.mustWait(until: $0, askedToWait, at: now, trigger) } ?? false
    }

    private static func mustWait(
        until nextTry: Timestamp, _ askedToWait: Bool, at now: Timestamp, _ trigger: Trigger
    ) -> Bool {
        // If the wall clock was set back, the device must not wait longer than its own longest wait.
        guard now < nextTry, askedToWait || nextTry < now.advanced(byMilliseconds: maxWait * 2) else { return false }
        return switch trigger {
        case .manual: false
        case .ownChange, .network: askedToWait
        case .launch, .push, .timer: true
        }
    }

    /// Ends the waits that the service asked for if the wall clock was set back since the last failure, by more than a
    /// correction: nobody knows how much of them is left, and it could be years. The device's own waits are short.
    mutating func endWaits(ifSetBackAt now: Timestamp) {
        guard let failedAt = lately?.first?.at, now.advanced(byMilliseconds: Self.maxWait) < failedAt else { return }
        if askedToWait { nextTry = nil }
        keepWaits { !$0.askedToWait }
        // A failure can't lie in the future.
        lately = lately?.map { PastFailure(code: $0.code, count: $0.count, at: min($0.at, now)) }
    }

    // MARK: One list

    /// Records that the service was busy with this list alone. The wait is as for ``noteFailure(retryAfter:at:random:)``.
    mutating func noteFailure(of list: ListID, retryAfter: Int?, at now: Timestamp, random: Double) {
        endWaits(ifSetBackAt: now)
        let failures = (lists?.first { $0.list == list }?.failures ?? 0) + 1
        keepWaits { $0.list != list }
        lists =
            (lists ?? []) + [
                ListWait(
                    list: list, failures: failures,
                    nextTry: Self.nextTry(failures: failures, retryAfter: retryAfter, at: now, random: random),
                    askedToWait: retryAfter != nil)
            ]
    }

    /// Forgets the other waits, of lists that have left the device or are no longer busy.
    mutating func keepWaits(where isKept: (ListWait) -> Bool) {
        guard let lists else { return }
        let kept = lists.filter(isKept)
        self.lists = kept.isEmpty ? nil : kept
    }

    /// The lists that a run with this trigger must leave alone.
    func waitingLists(at now: Timestamp, trigger: Trigger) -> [ListWait] {
        (lists ?? []).filter { Self.mustWait(until: $0.nextTry, $0.askedToWait, at: now, trigger) }
    }

    #if !hasFeature(Embedded)
        /// The same lists, for a transport that leaves them out of a fetch.
        package func leftOut(at now: Timestamp, trigger: Trigger) -> [ListID] {
            waitingLists(at: now, trigger: trigger).map(\.list)
        }
    #endif

    /// The largest number of entries for the next request.
    func entriesPerRequest(at now: Timestamp) -> Int {
        let stated = max(1, (limits ?? Limits()).entriesPerRequest)
        guard let learnedEntries, let learnedUntil else { return stated }
        guard now >= learnedUntil else { return min(stated, learnedEntries) }
        let (late, overflow) = now.milliseconds.subtractingReportingOverflow(learnedUntil.milliseconds)
        let doublings = overflow ? Self.doublings : min(Self.doublings, late / Self.learnedLimitLifetime + 1)
        // In 64 bits everywhere: an `Int` has 32 in WebAssembly.
        return Int(min(Int64(stated), Int64(learnedEntries) << doublings))
    }

    /// After this many doublings nothing is left of a learned limit.
    private static let doublings: Int64 = 20

    mutating func learn(entries: Int, at now: Timestamp) {
        learnedEntries = min(entries, 1 << 30)
        learnedUntil = now.advanced(byMilliseconds: Self.learnedLimitLifetime)
    }

    mutating func forgetLearned() {
        learnedEntries = nil
        learnedUntil = nil
    }

    /// Whether this run compares the lists' digests with the service's: when the program starts, when the person asks,
    /// or after a compression; at most once an hour.
    func comparesDigests(at now: Timestamp, trigger: Trigger) -> Bool {
        guard trigger == .launch || trigger == .manual || wantsDigests == true else { return false }
        guard let digestsComparedAt else { return true }
        // If the wall clock was set back, comparisons must not stop for good.
        return now >= digestsComparedAt.advanced(byMilliseconds: Self.digestInterval) || now < digestsComparedAt
    }

    mutating func noteDigestsCompared(at now: Timestamp) {
        digestsComparedAt = now
        wantsDigests = nil
    }
}
