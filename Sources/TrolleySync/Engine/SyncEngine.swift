import TrolleyJournal
import TrolleyWire

/// Synchronizes a device: carries out the decisions of ``SyncMachine`` with a store and a transport. A program with several
/// reasons to sync runs it through one ``RunQueue``.
public struct SyncEngine: Sendable {
    private let store: any QueueStore
    private let transport: any Transport
    private let clock: @Sendable () -> DeviceTime
    private let random: @Sendable () -> Double
    private let onProgress: @Sendable (SyncProgress) -> Void
    private let onStep: @Sendable (SyncMachine.Event, SyncMachine.Action) -> Void

    /// - Parameters:
    ///   - clock: returns the device's time.
    ///   - random: returns a number in 0..<1.
    ///   - onProgress: called with the progress of a run after each change.
    ///   - onStep: called with each event of a run and the action that was decided.
    public init(
        store: any QueueStore, transport: any Transport, clock: @escaping @Sendable () -> DeviceTime,
        random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) },
        onProgress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
        onStep: @escaping @Sendable (SyncMachine.Event, SyncMachine.Action) -> Void = { _, _ in }
    ) {
        self.store = store
        self.transport = transport
        self.clock = clock
        self.random = random
        self.onProgress = onProgress
        self.onStep = onStep
    }

    /// Sends waiting entries, fetches new changes, and applies them.
    ///
    /// A cancelled run stops at its next call to the service, and reports ``SyncFailure/stopped``. Its writes take place.
    public func run(_ trigger: Trigger) async -> SyncReport { await outcome(of: trigger).report }

    /// Does the same as ``run(_:)``.
    /// - Returns: the report, and whether each list had its turn. Then a failure is that of single lists, not of the run.
    package func outcome(of trigger: Trigger) async -> (report: SyncReport, isComplete: Bool) {
        var machine = SyncMachine()
        var event = SyncMachine.Event.begun(trigger)
        var kept: RetryState?
        while true {
            let before = machine.progress
            let action = machine.next(after: event, at: clock().wall, random: random())
            if machine.progress != before { onProgress(machine.progress) }
            onStep(event, action)
            do {
                var retryState = machine.retryState
                if case .finish(let report) = action { retryState.note(report.failure, at: clock().wall) }
                if let before = kept, before != retryState {
                    try await store.saveRetryState(retryState)
                    kept = retryState
                }
                if case .finish(let report) = action { return (report, event.completes(report)) }
                event = try await act(on: action)
                // A call that the caller has cut short tells nothing about the service.
                if event.isFailedCall, Task.isCancelled { event = .stopped }
                if case .deviceStatus(let deviceStatus) = event, kept == nil { kept = deviceStatus.retryState }
            } catch {
                // If the store fails while the machine stops, the machine must not be started again.
                if case .finish(var report) = action {
                    report.failure = .store(error)
                    return (report, false)
                }
                event = .broken(error)
            }
        }
    }

    private func act(on action: SyncMachine.Action) async throws(QueueStoreError) -> SyncMachine.Event {
        switch action {
        case .readStatus: return .deviceStatus(try await store.deviceStatus())
        case .fetchLimits:
            do throws(TransportError) {
                return .limits(try await transport.config().limits)
            } catch {
                return .failed(error)
            }
        case .publish(let list):
            let claim = try await store.createListRequest(for: list)
            var answer: ListResponse?
            do throws(TransportError) {
                answer = try await transport.createList(claim)
            } catch {
                // The list exists and belongs to somebody else. It was offered again after a restore, before the device
                // knew its owner. The next fetch shows whether this person is on it.
                guard case .problem(let problem) = error, problem.code == .serverRecordChanged else {
                    return .failed(error)
                }
            }
            try await store.notePublished(list, as: answer, at: clock().wall)
            return .done
        case .upload(let list, let entries, let bytes):
            return try await upload(to: list, entries: entries, bytes: bytes)
        case .reject(let list, let entries, let code, let detail):
            let verdicts = try await store.waiting(in: list, limit: entries).map {
                UploadVerdict(refused: $0.entry.id, isOwn: $0.isOwn, code, detail)
            }
            try await store.settle(verdicts, in: list, at: clock().wall)
            return .done
        case .fetch(let tokens, let afresh, let digests, let ownership):
            let request = AllChangesRequest(
                tokens: tokens, report: try await store.report(at: clock()), digests: digests ? true : nil,
                afresh: afresh.isEmpty ? nil : afresh, ownership: ownership ? true : nil,
                protocolVersion: ProtocolVersion.current)
            let response: AllChangesResponse
            do throws(TransportError) {
                response = try await transport.changes(request)
            } catch {
                return .failed(error)
            }
            if let problem = Problem(incompatible: response.protocolVersion) { return .failed(.problem(problem)) }
            let fetchOutcome = try await store.receive(response, at: clock().wall)
            return .fetched(fetchOutcome, moreComing: response.moreComing, unreachable: response.unreachable)
        case .delete(let list):
            do throws(TransportError) {
                try await transport.deleteList(list)
            } catch {
                guard case .problem(let problem) = error, [.listNotFound, .listDeleted].contains(problem.code) else {
                    return .failed(error)
                }
            }
            try await store.noteDeleted(list)
            return .done
        case .apply(let list, let shopping):
            try await store.apply(in: list, shopping: shopping)
            return .done
        case .finish: return .done
        }
    }

    private func upload(to list: ListID, entries: Int, bytes: Int) async throws(QueueStoreError) -> SyncMachine.Event {
        let queued = try await store.waiting(in: list, limit: entries)
        guard !queued.isEmpty else { return .done }
        let now = clock()
        let (request, size, age) = UploadRequest.batch(queued, at: now, bytes: bytes)
        let sent = request.entries.map(\.entry.id)
        try await store.noteSending(sent, in: list)
        let response: UploadResponse
        do throws(TransportError) {
            response = try await transport.upload(request, to: list)
        } catch {
            if let age {
                let end = UploadEnd(age: age, at: clock(), latest: nil, sent: Set(sent))
                try await store.noteUploadEnded(end, in: list)
            }
            return .uploadFailed(error, entries: request.entries.count, bytes: size)
        }
        if let age {
            let end = UploadEnd(age: age, at: clock(), latest: response.latest, sent: Set(sent))
            try await store.noteUploadEnded(end, in: list)
        }
        let verdicts = request.verdicts(
            in: response, dispensable: Set(queued.lazy.filter(\.isDispensable).map(\.entry.id)))
        try await store.settle(verdicts, in: list, at: now.wall)
        let rejected = verdicts.count { if case .rejected = $0.outcome { true } else { false } }
        return .uploaded(
            sent: verdicts.count - rejected, rejected: rejected, held: request.entries.count - verdicts.count)
    }
}

extension SyncMachine.Event {
    /// Whether a run that ends with this report after the event has come to its end: nothing is left, except on lists that
    /// can't continue now.
    fileprivate func completes(_ report: SyncReport) -> Bool {
        guard case .deviceStatus = self else { return false }
        if case .tooEarly? = report.failure { return false }
        return true
    }

    /// Whether a call to the service returned no usable answer.
    fileprivate var isFailedCall: Bool {
        switch self {
        case .failed, .uploadFailed: true
        default: false
        }
    }
}
