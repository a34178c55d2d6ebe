import TrolleyJournal
import TrolleySync
import TrolleyWire

/// A run of a device's sync, one step between two operations at a time. It carries out the actions of the real `SyncMachine`
/// as `SyncEngine` does. A program that ends loses it.
struct DeviceRun: Sendable {
    enum Next: Sendable {
        case decide(SyncMachine.Event)
        /// Store the retry state, then act.
        case save(RetryState, SyncMachine.Action)
        case act(SyncMachine.Action)
        /// A call is ready to be sent.
        case call(Call, Sent)
        case take(Result<Answer, TransportError>, Sent)
        /// The second operation after an upload's answer.
        case settle(UploadResponse, Sent)
    }

    /// What the run knows of the call that it made.
    struct Sent: Sendable {
        var action: SyncMachine.Action
        var entries: [EntryID] = []
        var dispensable: Set<EntryID> = []
        var bytes = 0
        var age: Int64?
        var at = Timestamp(milliseconds: 0)
    }

    private var machine = SyncMachine()
    private var kept: RetryState?
    let trigger: Trigger
    var next: Next
    /// The report, when the run has ended.
    private(set) var report: SyncReport?

    init(_ trigger: Trigger) {
        self.trigger = trigger
        next = .decide(.begun(trigger))
    }

    var isCalling: Bool { if case .call = next { true } else { false } }
    var call: Call? { if case .call(let call, _) = next { call } else { nil } }

    /// The entries of an upload whose end isn't stored yet.
    var uploading: [EntryID] {
        switch next {
        case .call(_, let sent), .take(_, let sent): sent.entries
        default: []
        }
    }

    /// Takes one step; none if a call waits to be sent.
    mutating func step(_ store: inout DeviceStore, clock: DeviceTime, random: Double) {
        switch next {
        case .decide(let event):
            let action = machine.next(after: event, at: clock.wall, random: random)
            var retryState = machine.retryState
            if case .finish(let report) = action { retryState.note(report.failure, at: clock.wall) }
            if let kept, kept != retryState { next = .save(retryState, action) } else { next = .act(action) }
        case .save(let retryState, let action):
            if store.defect != .waitsForgotten { store.saveRetryState(retryState) }
            kept = retryState
            next = .act(action)
        case .act(let action): act(on: action, &store, clock)
        case .call: break
        case .take(let result, let sent): take(result, sent, &store, clock)
        case .settle(let response, let sent): settle(response, sent, &store)
        }
    }

    mutating func answer(_ result: Result<Answer, TransportError>) {
        if case .call(_, let sent) = next { next = .take(result, sent) }
    }

    private mutating func act(on action: SyncMachine.Action, _ store: inout DeviceStore, _ clock: DeviceTime) {
        let sent = Sent(action: action, at: clock.wall)
        switch action {
        case .readStatus:
            let status = store.deviceStatus()
            if kept == nil { kept = status.retryState }
            next = .decide(.deviceStatus(status))
        case .fetchLimits: next = .call(.config, sent)
        case .publish(let list): next = .call(.createList(store.createListRequest(for: list)), sent)
        case .upload(let list, let entries, let bytes): upload(list, entries, bytes, sent, &store, clock)
        case .reject(let list, let entries, let code, let detail):
            let verdicts = store.waiting(in: list, limit: entries).map {
                UploadVerdict(refused: $0.entry.id, isOwn: $0.isOwn, code, detail)
            }
            store.settle(verdicts, in: list, at: clock.wall)
            next = .decide(.done)
        case .fetch(let tokens, let afresh, let digests, let ownership):
            let request = AllChangesRequest(
                tokens: tokens, digests: digests ? true : nil, afresh: afresh.isEmpty ? nil : afresh,
                ownership: ownership ? true : nil, protocolVersion: ProtocolVersion.current)
            next = .call(.changes(request), sent)
        case .delete: next = .decide(.done)
        case .apply(let list, let shopping):
            store.apply(in: list, shopping: shopping)
            next = .decide(.done)
        case .finish(let report): self.report = report
        }
    }

    private mutating func upload(
        _ list: ListID, _ entries: Int, _ bytes: Int, _ sent: Sent, _ store: inout DeviceStore, _ clock: DeviceTime
    ) {
        var queued = store.waiting(in: list, limit: entries)
        if store.defect == .orderLostInSplit, store.retryState.learnedEntries != nil {
            queued = Array(store.waiting(in: list, limit: .max).suffix(entries))
        }
        guard !queued.isEmpty else {
            next = .decide(.done)
            return
        }
        var (request, size, age) = UploadRequest.batch(queued, at: clock, bytes: bytes)
        if store.defect == .ageByWallClock {
            for index in request.entries.indices {
                request.entries[index].age = max(0, clock.wall.milliseconds - queued[index].made.wall.milliseconds)
            }
        }
        var sent = sent
        sent.entries = request.entries.map(\.entry.id)
        sent.dispensable = Set(queued.lazy.filter(\.isDispensable).map(\.entry.id))
        sent.bytes = size
        sent.age = age
        store.noteSending(sent.entries, in: list)
        next = .call(.upload(request, list), sent)
    }

    private mutating func take(
        _ result: Result<Answer, TransportError>, _ sent: Sent, _ store: inout DeviceStore, _ clock: DeviceTime
    ) {
        switch (sent.action, result) {
        case (.upload(let list, _, _), .success(.upload(let response))):
            if let age = sent.age {
                store.noteUploadEnded(
                    UploadEnd(age: age, at: clock, latest: response.latest, sent: Set(sent.entries)), in: list)
            }
            next = .settle(response, sent)
        case (.upload(let list, _, _), .failure(let error)):
            if let age = sent.age {
                store.noteUploadEnded(
                    UploadEnd(age: age, at: clock, latest: nil, sent: Set(sent.entries)), in: list)
            }
            next = .decide(.uploadFailed(error, entries: sent.entries.count, bytes: sent.bytes))
            if store.isRejecting(error) {
                let verdicts = sent.entries.map { UploadVerdict(entry: $0, outcome: .rejected(.internalError, nil)) }
                store.settle(verdicts, in: list, at: clock.wall)
                next = .decide(.uploaded(sent: 0, rejected: verdicts.count, held: 0))
            }
        case (.publish(let list), .success(.list(let answer))):
            store.notePublished(list, as: answer, at: clock.wall)
            next = .decide(.done)
        case (.publish(let list), .failure(.problem(let problem))) where problem.code == .serverRecordChanged:
            store.notePublished(list, as: nil, at: clock.wall)
            next = .decide(.done)
        case (.fetch, .success(.changes(let response))):
            let outcome = store.receive(response, at: clock.wall)
            next = .decide(.fetched(outcome, moreComing: response.moreComing, unreachable: response.unreachable))
        case (_, .success(.config(let limits))): next = .decide(.limits(limits))
        case (_, .failure(let error)): next = .decide(.failed(error))
        default: next = .decide(.failed(.notUnderstood("another call's answer")))
        }
    }

    private mutating func settle(_ response: UploadResponse, _ sent: Sent, _ store: inout DeviceStore) {
        guard case .upload(let list, _, _) = sent.action else { return }
        var verdicts = response.verdicts(on: sent.entries, dispensable: sent.dispensable)
        if store.defect == .settledWithoutVerdict {
            verdicts = sent.entries.map { UploadVerdict(entry: $0, outcome: .known) }
        }
        store.settle(verdicts, in: list, at: sent.at)
        if store.defect == .uploadTokenKept { store.saveToken(response.token, of: list) }
        let rejected = verdicts.count { if case .rejected = $0.outcome { true } else { false } }
        next = .decide(
            .uploaded(
                sent: verdicts.count - rejected, rejected: rejected, held: sent.entries.count - verdicts.count))
    }
}

extension DeviceStore {
    /// Whether an upload's failure counts as its rejection, for defects.
    fileprivate func isRejecting(_ error: TransportError) -> Bool {
        switch error {
        case .unreachable: defect == .lostAnswerIsRejection
        case .problem(let problem): problem.code == .limitExceeded && defect == .tooLargeIsRejected
        case .notUnderstood: false
        }
    }
}
