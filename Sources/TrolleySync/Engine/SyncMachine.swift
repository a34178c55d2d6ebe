public import TrolleyJournal
public import TrolleyWire

/// Decides the next step of a run: it reads the store's state, takes one step, and reads the state again, until nothing
/// is left to do.
///
/// A value without clock, network or storage. ``SyncEngine`` carries out its actions and reports the results.
public struct SyncMachine: Sendable {
    public enum Action: Hashable, Sendable {
        /// Read the store's state.
        case look
        case askLimits
        case publish(ListID)
        /// Send the first entries of the list's upload queue, at most this many.
        case upload(ListID, entries: Int, bytes: Int)
        /// Settle this many of the first entries of the list's upload queue with this verdict.
        case reject(ListID, entries: Int, ProblemCode, String?)
        /// - Parameters:
        ///   - afresh: lists that the device has without a token.
        ///   - digests: whether to ask for the lists' digests.
        ///   - ownership: whether to ask for proofs of ownership.
        case fetch(tokens: [ListID: String], afresh: [ListID] = [], digests: Bool, ownership: Bool = false)
        case apply(ListID, shopping: Bool)
        case finish(SyncReport)
    }

    public enum Event: Hashable, Sendable {
        case begun(Trigger)
        case standing(Standing)
        case limits(Limits)
        /// The action succeeded; the store's state shows the rest.
        case done
        /// The number of entries that were taken, rejected for good, and left in the queue.
        case uploaded(sent: Int, rejected: Int, held: Int)
        /// - Parameter unreachable: lists that the service couldn't reach.
        case fetched(Receipt, moreComing: Bool, unreachable: [ListID] = [])
        case failed(TransportError)
        /// An upload of this size failed.
        case uploadFailed(TransportError, entries: Int, bytes: Int)
        case broken(QueueStoreError)
    }

    /// The state of retries and limits after the last event; the caller stores it.
    public private(set) var pace = Pace()
    /// The progress to show to the person.
    public private(set) var progress = SyncProgress.idle
    private var trigger = Trigger.byHand
    private var report = SyncReport()
    private var current: ListID?
    private var comparesDigests = false
    private var mayGo = false
    private var askedLimits = false
    private var isAskingLimits = false
    private var needsFetch = true
    private var snapshots = 0
    private var applied: Set<ListID> = []
    /// Lists that can't continue in this run, with the reasons.
    private var stuck: [ListID: TransportError] = [:]

    public init() {}

    /// - Parameter random: in 0..<1, for the jitter of a wait.
    public mutating func next(after event: Event, at now: Timestamp, random: Double) -> Action {
        let action = decide(after: event, at: now, random: random)
        switch action {
        case .askLimits, .publish, .upload, .fetch: report.requests += 1
        case .look, .reject, .apply, .finish: break
        }
        progress = SyncProgress(action, report) ?? progress
        return action
    }

    private mutating func decide(after event: Event, at now: Timestamp, random: Double) -> Action {
        switch event {
        case .begun(let trigger):
            self.trigger = trigger
            return .look
        case .standing(let standing): return plan(standing, at: now, random)
        case .limits(let limits):
            pace.limits = limits
            return .look
        case .done: return .look
        case .uploaded(let sent, let rejected, let held):
            report.sent += sent
            report.rejected += rejected
            needsFetch = true
            guard sent + rejected > 0 || held == 0 else {
                return wait(for: .problem(Problem(.zoneBusy)), at: now, random)
            }
            pace.noteSuccess()
            return .look
        case .fetched(let receipt, let moreComing, let unreachable):
            let action = noteFetch(receipt, moreComing: moreComing, at: now, random)
            for list in unreachable { stuck[list] = .problem(.awayForNow) }
            return action
        case .failed(let error): return handle(error, at: now, random)
        case .uploadFailed(let error, let entries, let bytes):
            return handleUpload(error, entries: entries, bytes: bytes, at: now, random)
        case .broken(let error): return stop(.store(error))
        }
    }

    private mutating func plan(_ standing: Standing, at now: Timestamp, _ random: Double) -> Action {
        isAskingLimits = false
        if !mayGo {
            pace = standing.pace
            report.waiting = standing.waiting
            if pace.mustWait(at: now, trigger: trigger), let nextTry = pace.nextTry { return stop(.tooEarly(nextTry)) }
            mayGo = true
            comparesDigests = pace.comparesDigests(at: now, trigger: trigger)
        }
        report.waiting = standing.waiting
        let lists = standing.lists.filter { !stuck.keys.contains($0.id) && !$0.isLocal }
        if let list = lists.first(where: { !$0.isPublished }) {
            current = list.id
            return .publish(list.id)
        }
        if let list = lists.first(where: { $0.waiting > 0 }) {
            if pace.limits == nil, !askedLimits {
                askedLimits = true
                isAskingLimits = true
                return .askLimits
            }
            current = list.id
            let bytes = (pace.limits ?? Limits()).bytesPerRequest
            return .upload(list.id, entries: pace.entriesPerRequest(at: now), bytes: bytes)
        }
        current = nil
        if needsFetch { return fetch(standing) }
        if let list = standing.lists.first(where: { $0.toApply > 0 && !applied.contains($0.id) }) {
            applied.insert(list.id)
            return .apply(list.id, shopping: list.isShopping)
        }
        // A list that was stuck may have left the device with a notice; then there is nothing to report.
        let complaints = standing.lists.compactMap { stuck[$0.id] }
        // Temporary failures are retried.
        if let passing = complaints.first(where: { $0.isOfOneList }) { return wait(for: passing, at: now, random) }
        return stop(complaints.first.map(SyncFailure.transport))
    }

    private mutating func fetch(_ standing: Standing) -> Action {
        var tokens: [ListID: String] = [:]
        let lists = standing.lists.filter { $0.isPublished && !$0.isLocal }
        for list in lists { tokens[list.id] = list.token }
        let afresh = lists.filter { $0.token == nil }.map { $0.id }
        return .fetch(
            tokens: tokens, afresh: afresh, digests: comparesDigests, ownership: standing.lacksOwnership)
    }

    private mutating func noteFetch(_ receipt: Receipt, moreComing: Bool, at now: Timestamp, _ random: Double) -> Action
    {
        report.received += receipt.news
        report.rejected += receipt.keptAside
        report.differing += receipt.differing
        applied = []
        // The service may have lost lists, which are then created again, so earlier refusals may no longer hold.
        if receipt.expired > 0 { stuck = [:] }
        if receipt.discarded > 0 { pace.wantsDigests = true }
        if comparesDigests, !moreComing {
            // Only once in a run: a list that still differs after a snapshot must not be fetched for ever.
            comparesDigests = false
            pace.noteDigestsCompared(at: now)
        }
        if moreComing || receipt.expired + receipt.differing > 0 {
            snapshots += receipt.expired + receipt.differing > 0 ? 1 : 0
            guard receipt.progressed, snapshots < 4 else {
                return wait(for: .notUnderstood("it announces more changes, but sends none"), at: now, random)
            }
        } else {
            needsFetch = false
        }
        pace.noteSuccess()
        return .look
    }
}

// MARK: Failures

extension SyncMachine {
    private mutating func handle(_ error: TransportError, at now: Timestamp, _ random: Double) -> Action {
        guard case .problem(let problem) = error else { return wait(for: error, at: now, random) }
        switch problem.code {
        case .notAuthenticated:
            pace.sessionEndedAt = pace.sessionEndedAt ?? now
            return stop(.transport(error))
        case .incompatibleVersion: return stop(.transport(error))
        case .zoneBusy where current != nil && !isAskingLimits:
            // Only this list must wait.
            if let current { stuck[current] = error }
            return .look
        case .requestRateLimited, .zoneBusy, .serviceUnavailable, .internalError:
            return wait(for: error, at: now, random)
        default:
            // Without an answer, the built-in limits apply.
            if isAskingLimits { return .look }
            // This list can't continue; other lists can.
            guard let current else { return wait(for: error, at: now, random) }
            stuck[current] = error
            return .look
        }
    }

    private mutating func handleUpload(
        _ error: TransportError, entries: Int, bytes: Int, at now: Timestamp, _ random: Double
    ) -> Action {
        guard case .problem(let problem) = error, let current else { return handle(error, at: now, random) }
        switch problem.code {
        case .permissionFailure:
            // Somebody who may now only read gets a verdict on each entry.
            report.rejected += entries
            return .reject(current, entries: entries, problem.code, problem.detail)
        case .limitExceeded, .invalidArguments, .serverRecordChanged, .batchRequestFailed, .partialFailure:
            guard entries > 1 else {
                pace.forgetLearned()
                report.rejected += 1
                return .reject(current, entries: 1, problem.code, problem.detail)
            }
            if let limits = problem.limits {
                pace.limits = limits
                let isCutAnyway = limits.entriesPerRequest < entries || limits.bytesPerRequest < bytes
                if isCutAnyway, problem.code == .limitExceeded { return .look }
            }
            // Halves the request again and again. The order stays, since later entries wait for these.
            pace.learn(entries: (entries + 1) / 2, at: now)
            return .look
        default: return handle(error, at: now, random)
        }
    }

    /// The only place that schedules a later try.
    private mutating func wait(for error: TransportError, at now: Timestamp, _ random: Double) -> Action {
        var retryAfter: Int?
        if case .problem(let problem) = error { retryAfter = problem.retryAfter }
        pace.noteFailure(retryAfter: retryAfter, at: now, random: random)
        return stop(.transport(error))
    }

    private mutating func stop(_ failure: SyncFailure?) -> Action {
        report.failure = failure
        report.nextTry = pace.nextTry
        return .finish(report)
    }
}

extension TransportError {
    /// Whether the error concerns one list and is temporary.
    fileprivate var isOfOneList: Bool {
        if case .problem(let problem) = self { problem.code == .zoneBusy } else { false }
    }
}

extension Problem {
    /// The problem of a list that the service couldn't reach.
    fileprivate static var awayForNow: Problem {
        Problem(.zoneBusy, "the list can't be reached just now", retryAfter: 5)
    }
}
