import Synchronization
import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// A hosted device's transport: the same calls as other devices', but without a socket. Permissions, limits and
/// verdicts are the same.
final class HostedTransport: Transport {
    private struct State {
        /// The head of each list at the last fetch.
        var seen: [ListID: SequenceNumber] = [:]
        /// Lists that wait by themselves, or that the device could not store in this run. They are not fetched: their changes
        /// would use up the limit of each answer.
        var leftOut: Set<ListID> = []
        /// Whether a list has failed that doesn't wait by itself.
        var hasFailedList = false
    }

    private let driving: HostedDriving
    private let session: Session
    private let state = Mutex(State())

    init(_ driving: HostedDriving, session: Session) {
        self.driving = driving
        self.session = session
    }

    /// The head of each list at the last fetch, without the lists that were left out or could not be stored; empty while more
    /// changes are coming.
    var heads: [ListID: SequenceNumber] { state.withLock(\.seen) }

    /// Whether a list has failed in this run for another reason than that it is busy. It would fail again at once.
    var hasFailedList: Bool { state.withLock(\.hasFailedList) }

    /// Notes what has happened in the run with this trigger.
    func note(_ event: SyncMachine.Event, of trigger: Trigger) {
        switch event {
        case .deviceStatus(let status):
            let waiting = status.retryState.leftOut(at: HostedClock.now().wall, trigger: trigger)
            state.withLock { $0.leftOut.formUnion(Set(status.lists.map(\.id)).intersection(waiting)) }
        case .fetched(let outcome, _, _):
            state.withLock { state in
                state.leftOut.formUnion(outcome.unstored)
                for list in outcome.unstored { state.seen[list] = nil }
            }
        case .failed(let error), .uploadFailed(let error, _, _):
            guard case .problem(let problem) = error, problem.code != .zoneBusy else { return }
            state.withLock { $0.hasFailedList = true }
        default: break
        }
    }

    func config() async throws(TransportError) -> ConfigResponse {
        driving.configuration.response(sessionIdle: driving.store.sessionIdle)
    }

    func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse {
        try await answer {
            let (response, isNew) = try await driving.store.createList(
                request.id, owner: session.account, quota: driving.configuration.quotas.listsPerAccount)
            if isNew { driving.hub.changed(.account(session.account)) }
            return response
        }
    }

    func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse {
        try await answer {
            // The limits are everybody's, so an entry that is too large is refused in the same words.
            try await driving.uploads.append(
                try UploadBody(request, limits: driving.configuration.limits), to: list, by: session)
        }
    }

    func deleteList(_ list: ListID) async throws(TransportError) {
        try await answer {
            try await driving.store.deleteList(list, by: session.account)
            driving.hub.changed(.people(list), .account(session.account))
        }
    }

    func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse {
        try await answer {
            let found = try await driving.feed.changes(
                request, for: session, without: state.withLock(\.leftOut))
            let answer = try found.whole
            state.withLock { $0.seen = answer.moreComing || !answer.expired.isEmpty ? [:] : found.heads }
            return answer
        }
    }

    private func answer<Value>(_ body: () async throws -> Value) async throws(TransportError) -> Value {
        do {
            return try await body()
        } catch {
            throw .problem(Problem(answering: error, limits: driving.configuration.limits))
        }
    }
}
