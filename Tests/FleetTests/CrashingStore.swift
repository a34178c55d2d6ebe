import Synchronization
import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The moment of a device's death: in a certain transaction from now, before or after its commit.
final class Fuse: Sendable {
    private struct State {
        var left: Int?
        var commitsFirst = false
        var isBurnt = false
        var count = 0
    }

    private let state = Mutex(State())

    /// - Parameter transactions: the number of transactions until the death; nil: the device lives.
    func light(after transactions: Int?, commitsFirst: Bool = false) {
        state.withLock { $0 = State(left: transactions, commitsFirst: commitsFirst) }
    }

    var isBurnt: Bool { state.withLock { $0.isBurnt } }
    /// The transactions since the fuse was set.
    var count: Int { state.withLock { $0.count } }

    func transaction<Value>(
        _ body: () async throws(QueueStoreError) -> Value
    ) async throws(QueueStoreError) -> Value {
        let (dies, commitsFirst) = state.withLock { state in
            if state.isBurnt { return (true, false) }
            state.count += 1
            guard let left = state.left else { return (false, false) }
            state.left = left - 1
            state.isBurnt = left <= 0
            return (state.isBurnt, state.commitsFirst)
        }
        if dies, !commitsFirst { throw .failed("the device was killed") }
        let value = try await body()
        if dies { throw .failed("the device was killed") }
        return value
    }
}

/// A store that dies with its device, at the boundary of any two transactions.
struct CrashingStore: QueueStore {
    let store: any QueueStore
    let fuse: Fuse

    func addList(_ list: ListID) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.addList(list) }
    }
    func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry] {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.append(entries, to: list, made: made)
        }
    }
    func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.journal(of: list) }
    }
    func state(of list: ListID) async throws(QueueStoreError) -> ListState {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.state(of: list) }
    }
    func deviceStatus() async throws(QueueStoreError) -> DeviceStatus {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.deviceStatus() }
    }
    func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry] {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.waiting(in: list, limit: limit)
        }
    }
    func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry] {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.toApply(in: list) }
    }
    func rejected() async throws(QueueStoreError) -> [RejectedEntry] {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.rejected() }
    }
    func refusals() async throws(QueueStoreError) -> [PastFailure] {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.refusals() }
    }
    func createListRequest(for list: ListID) async throws(QueueStoreError) -> CreateListRequest {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.createListRequest(for: list) }
    }
    func notePublished(_ list: ListID, as answer: ListResponse?, at now: Timestamp) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.notePublished(list, as: answer, at: now)
        }
    }
    func noteDeleted(_ list: ListID) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.noteDeleted(list) }
    }
    func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.noteSending(entries, in: list)
        }
    }
    func noteUploadEnded(_ end: UploadEnd, in list: ListID) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.noteUploadEnded(end, in: list)
        }
    }
    func settle(_ verdicts: [UploadVerdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.settle(verdicts, in: list, at: now)
        }
    }
    func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> FetchOutcome {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.receive(response, at: now) }
    }
    func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in
            try await store.apply(in: list, shopping: shopping)
        }
    }
    func saveRetryState(_ retryState: RetryState) async throws(QueueStoreError) {
        try await fuse.transaction { () async throws(QueueStoreError) in try await store.saveRetryState(retryState) }
    }
}
