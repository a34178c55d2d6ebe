public import TrolleyJournal
public import TrolleyWire

/// Decides the next step of a run: it reads the store's state, takes one step, and reads the state again, until nothing
/// is left to do.
///
/// A value without clock, network or storage. ``SyncEngine`` carries out its actions and reports the results.
public struct SyncMachine: Sendable {
    public enum Action: Hashable, Sendable {
        /// Read the store's state.
        case readStatus
        case fetchLimits
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
        /// Delete a list that is leaving the service.
        case delete(ListID)
        case apply(ListID, shopping: Bool)
        case finish(SyncReport)
    }

    public enum Event: Hashable, Sendable {
        case begun(Trigger)
        case deviceStatus(DeviceStatus)
        case limits(Limits)
        /// The action succeeded; the store's state shows the rest.
        case done
        /// The number of entries that were taken, rejected for good, and left in the queue.
        case uploaded(sent: Int, rejected: Int, held: Int)
        /// - Parameter unreachable: lists that the service couldn't reach.
        case fetched(FetchOutcome, moreComing: Bool, unreachable: [ListID] = [])
        case failed(TransportError)
        /// An upload of this size failed.
        case uploadFailed(TransportError, entries: Int, bytes: Int)
        case broken(QueueStoreError)
        /// The caller has stopped the run.
        case stopped
    }

    /// The state of retries and limits after the last event; the caller stores it.
    public private(set) var retryState = RetryState()
    /// The progress to show to the person.
    public private(set) var progress = SyncProgress.idle
    private var trigger = Trigger.manual
    private var report = SyncReport()
    private var current: ListID?
    private var comparesDigests = false
    private var mayProceed = false
    private var requestedLimits = false
    private var isFetchingLimits = false
    private var needsFetch = true
    private var snapshots = 0
    private var applied: Set<ListID> = []
    /// Lists that can't continue in this run, with the reasons.
    private var failedLists: [ListID: TransportError] = [:]
    /// Lists whose next try is not due yet.
    private var waitingLists: [ListWait] = []

    public init() {}

    /// - Parameter random: in 0..<1, for the jitter of a wait.
    public mutating func next(after event: Event, at now: Timestamp, random: Double) -> Action {
        let action = decide(after: event, at: now, random: random)
        switch action {
        case .fetchLimits, .publish, .upload, .delete, .fetch: report.requests += 1
        case .readStatus, .reject, .apply, .finish: break
        }
        progress = SyncProgress(action, report) ?? progress
        return action
    }

    private mutating func decide(after event: Event, at now: Timestamp, random: Double) -> Action {
        switch event {
        case .begun(let trigger):
            self.trigger = trigger
            return .readStatus
        case .deviceStatus(let deviceStatus): return plan(deviceStatus, at: now, random)
        case .limits(let limits):
            retryState.limits = limits
            return .readStatus
        case .done: return .readStatus
        case .uploaded(let sent, let rejected, let held):
            report.sent += sent
            report.rejected += rejected
            needsFetch = true
            guard sent + rejected > 0 || held == 0 else {
                return wait(for: .problem(Problem(.zoneBusy)), at: now, random)
            }
            retryState.noteSuccess()
            return .readStatus
        case .fetched(let fetchOutcome, let moreComing, let unreachable):
            let action = noteFetch(fetchOutcome, moreComing: moreComing, at: now, random)
            for list in unreachable { failedLists[list] = .problem(.temporarilyUnreachable) }
            return action
        case .failed(let error): return handle(error, at: now, random)
        case .uploadFailed(let error, let entries, let bytes):
            return handleUpload(error, entries: entries, bytes: bytes, at: now, random)
        case .broken(let error): return stop(.store(error))
        case .stopped: return stop(.stopped)
        }
    }

    private mutating func plan(_ deviceStatus: DeviceStatus, at now: Timestamp, _ random: Double) -> Action {
        isFetchingLimits = false
        if !mayProceed {
            retryState = deviceStatus.retryState
            retryState.endWaits(ifSetBackAt: now)
            report.waiting = deviceStatus.waiting
            if retryState.mustWait(at: now, trigger: trigger), let nextTry = retryState.nextTry {
                return stop(.tooEarly(nextTry))
            }
            mayProceed = true
            waitingLists = retryState.waitingLists(at: now, trigger: trigger)
            comparesDigests = retryState.comparesDigests(at: now, trigger: trigger)
        }
        report.waiting = deviceStatus.waiting
        let lists = deviceStatus.lists.filter { list in
            !failedLists.keys.contains(list.id) && !list.isLocal && !waitingLists.contains { $0.list == list.id }
        }
        if let list = lists.first(where: { !$0.isPublished }) {
            current = list.id
            return .publish(list.id)
        }
        if let list = lists.first(where: { $0.waiting > 0 }) {
            if retryState.limits == nil, !requestedLimits {
                requestedLimits = true
                isFetchingLimits = true
                return .fetchLimits
            }
            current = list.id
            let bytes = (retryState.limits ?? Limits()).bytesPerRequest
            return .upload(list.id, entries: retryState.entriesPerRequest(at: now), bytes: bytes)
        }
        if let list = deviceStatus.leaving.first(where: { !failedLists.keys.contains($0) }) {
            current = list
            return .delete(list)
        }
        current = nil
        if needsFetch { return fetch(deviceStatus) }
        if let list = deviceStatus.lists.first(where: { $0.toApply > 0 && !applied.contains($0.id) }) {
            applied.insert(list.id)
            return .apply(list.id, shopping: list.isShopping)
        }
        return finish(deviceStatus, at: now, random)
    }

    /// Nothing is left to do, but for lists that can't continue now.
    private mutating func finish(_ deviceStatus: DeviceStatus, at now: Timestamp, _ random: Double) -> Action {
        // A list that was stuck may have left the device with a notice; then there is nothing to report.
        let lists = (deviceStatus.lists.map { $0.id } + deviceStatus.leaving).filter { failedLists.keys.contains($0) }
        retryState.keepWaits { wait in lists.contains(wait.list) || waitingLists.contains(wait) }
        var temporary: TransportError?
        for list in lists {
            guard let error = failedLists[list], error.affectsOneList else { continue }
            temporary = temporary ?? error
            retryState.noteFailure(of: list, retryAfter: error.retryAfter, at: now, random: random)
        }
        let failure = temporary ?? lists.first.flatMap { failedLists[$0] }
        report.nextTry = retryState.lists?.map { $0.nextTry }.min()
        return stop(failure.map(SyncFailure.transport))
    }

    private mutating func fetch(_ deviceStatus: DeviceStatus) -> Action {
        var tokens: [ListID: String] = [:]
        let lists = deviceStatus.lists.filter { $0.isPublished && !$0.isLocal }
        for list in lists { tokens[list.id] = list.token }
        let afresh = lists.filter { $0.token == nil }.map { $0.id }
        return .fetch(
            tokens: tokens, afresh: afresh, digests: comparesDigests, ownership: deviceStatus.lacksOwnership)
    }

    private mutating func noteFetch(_ fetchOutcome: FetchOutcome, moreComing: Bool, at now: Timestamp, _ random: Double)
        -> Action
    {
        report.received += fetchOutcome.news
        report.rejected += fetchOutcome.keptAside
        report.differing += fetchOutcome.differing
        applied = []
        // The service may have lost lists, which are then created again, so earlier refusals may no longer hold.
        if fetchOutcome.expired > 0 { failedLists = [:] }
        let isLeftOut = leaveOutUnstored(fetchOutcome)
        if fetchOutcome.discarded > 0 { retryState.wantsDigests = true }
        if comparesDigests, !moreComing {
            // Only once in a run: a list that still differs after a snapshot must not be fetched for ever.
            comparesDigests = false
            retryState.noteDigestsCompared(at: now)
        }
        if moreComing || fetchOutcome.expired + fetchOutcome.differing > 0 {
            snapshots += fetchOutcome.expired + fetchOutcome.differing > 0 ? 1 : 0
            guard fetchOutcome.progressed || isLeftOut, snapshots < 4 else {
                return wait(for: .notUnderstood("it announces more changes, but sends none"), at: now, random)
            }
        } else {
            needsFetch = false
        }
        retryState.noteSuccess()
        return .readStatus
    }

    /// - Returns: whether there are lists that are left out from now on. The changes that follow are of others.
    private mutating func leaveOutUnstored(_ fetchOutcome: FetchOutcome) -> Bool {
        #if hasFeature(Embedded)
            return false
        #else
            let failed = failedLists.count
            for list in fetchOutcome.unstored { failedLists[list] = .problem(.notStored) }
            return failedLists.count > failed
        #endif
    }
}

// MARK: Failures

extension SyncMachine {
    private mutating func handle(_ error: TransportError, at now: Timestamp, _ random: Double) -> Action {
        guard case .problem(let problem) = error else { return wait(for: error, at: now, random) }
        switch problem.code {
        case .notAuthenticated:
            retryState.sessionEndedAt = retryState.sessionEndedAt ?? now
            return stop(.transport(error))
        case .incompatibleVersion: return stop(.transport(error))
        case .zoneBusy where current != nil && !isFetchingLimits:
            // Only this list must wait.
            if let current { failedLists[current] = error }
            return .readStatus
        case .requestRateLimited, .zoneBusy, .serviceUnavailable, .internalError:
            return wait(for: error, at: now, random)
        default:
            // Without an answer, the built-in limits apply.
            if isFetchingLimits { return .readStatus }
            // This list can't continue; other lists can.
            guard let current else { return wait(for: error, at: now, random) }
            failedLists[current] = error
            return .readStatus
        }
    }

    private mutating func handleUpload(
        _ error: TransportError, entries: Int, bytes: Int, at now: Timestamp, _ random: Double
    ) -> Action {
        guard case .problem(let problem) = error, let current else { return handle(error, at: now, random) }
        switch problem.code {
        case .permissionFailure:
            // A person with read-only permission gets a verdict on each entry.
            report.rejected += entries
            return .reject(current, entries: entries, problem.code, problem.detail)
        case .limitExceeded, .invalidArguments, .serverRecordChanged, .batchRequestFailed, .partialFailure:
            guard entries > 1 else {
                retryState.forgetLearned()
                report.rejected += 1
                return .reject(current, entries: 1, problem.code, problem.detail)
            }
            if let limits = problem.limits {
                retryState.limits = limits
                let isCutAnyway = limits.entriesPerRequest < entries || limits.bytesPerRequest < bytes
                if isCutAnyway, problem.code == .limitExceeded { return .readStatus }
            }
            // Halves the request again and again. The order stays, since later entries wait for these.
            retryState.learn(entries: (entries + 1) / 2, at: now)
            return .readStatus
        default: return handle(error, at: now, random)
        }
    }

    /// Schedules a later try of everything. ``finish(_:at:_:)`` schedules later tries of single lists.
    private mutating func wait(for error: TransportError, at now: Timestamp, _ random: Double) -> Action {
        retryState.noteFailure(retryAfter: error.retryAfter, at: now, random: random)
        return stop(.transport(error))
    }

    private mutating func stop(_ failure: SyncFailure?) -> Action {
        report.failure = failure
        report.nextTry = retryState.nextTry ?? report.nextTry
        return .finish(report)
    }
}

extension TransportError {
    /// Whether the error concerns one list and is temporary.
    fileprivate var affectsOneList: Bool {
        if case .problem(let problem) = self { problem.code == .zoneBusy } else { false }
    }

    /// The seconds that the service asks to wait.
    fileprivate var retryAfter: Int? { if case .problem(let problem) = self { problem.retryAfter } else { nil } }
}

extension Problem {
    /// The problem of a list that the service couldn't reach.
    fileprivate static var temporarilyUnreachable: Problem {
        Problem(.zoneBusy, "the list can't be reached just now", retryAfter: 5)
    }

    /// The problem of a list that this device couldn't store. Its next try waits longer each time.
    fileprivate static var notStored: Problem { Problem(.zoneBusy, "the list can't be stored just now") }
}
