import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting
import TrolleyWire

@Suite("The checks for stores", .timeLimit(.minutes(20)))
struct QueueStoreCheckTests {
    let directory = TemporaryDirectory()

    @Test("a store with a fault fails the check for it", arguments: FaultyStore.Fault.allCases)
    func faults(_ fault: FaultyStore.Fault) async throws {
        let check = try #require(QueueStoreCheck.all.first { $0.name == fault.check })
        let path = directory.path
        let failure = try #require(
            await #expect(throws: QueueStoreFailure.self) {
                try await check.run { FaultyStore(store: try SQLiteStore(directory: path), fault: fault) }
            })
        #expect(failure.check == fault.check)
        #expect(failure.description.hasPrefix("\(fault.check): \(failure.expectation)"))
    }

    @Test("no two checks have one name")
    func names() { #expect(Set(QueueStoreCheck.all.map(\.name)).count == QueueStoreCheck.all.count) }
}

/// A store with one fault.
struct FaultyStore: QueueStore {
    enum Fault: CaseIterable {
        case forgetsRetryState, losesRefusals, appliesAllWhileShopping, keepsTheToken, keepsTimes

        var check: String {
            switch self {
            case .forgetsRetryState: "the retry state survives a restart"
            case .losesRefusals: "a verdict removes the entry from the upload queue; a rejected entry is listed"
            case .appliesAllWhileShopping:
                "in shopping mode, entries that add or move items wait; others apply at once"
            case .keepsTheToken: "a different digest deletes the token; an equal one changes nothing"
            case .keepsTimes: "what waits while an upload is under way counts as made after what it sends"
            }
        }
    }

    let store: any QueueStore
    let fault: Fault

    func addList(_ list: ListID) async throws(QueueStoreError) { try await store.addList(list) }
    func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry] { try await store.append(entries, to: list, made: made) }
    func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal { try await store.journal(of: list) }
    func state(of list: ListID) async throws(QueueStoreError) -> ListState { try await store.state(of: list) }
    func deviceStatus() async throws(QueueStoreError) -> DeviceStatus { try await store.deviceStatus() }
    func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry] {
        try await store.waiting(in: list, limit: limit)
    }
    func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry] {
        try await store.toApply(in: list)
    }
    func rejected() async throws(QueueStoreError) -> [RejectedEntry] {
        fault == .losesRefusals ? [] : try await store.rejected()
    }
    func refusals() async throws(QueueStoreError) -> [PastFailure] { try await store.refusals() }
    func createListRequest(for list: ListID) async throws(QueueStoreError) -> CreateListRequest {
        try await store.createListRequest(for: list)
    }
    func notePublished(_ list: ListID, as answer: ListResponse?, at now: Timestamp) async throws(QueueStoreError) {
        try await store.notePublished(list, as: answer, at: now)
    }
    func noteDeleted(_ list: ListID) async throws(QueueStoreError) { try await store.noteDeleted(list) }
    func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError) {
        try await store.noteSending(entries, in: list)
    }
    func noteUploadEnded(_ end: UploadEnd, in list: ListID) async throws(QueueStoreError) {
        if fault != .keepsTimes { try await store.noteUploadEnded(end, in: list) }
    }
    func settle(_ verdicts: [UploadVerdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError) {
        try await store.settle(verdicts, in: list, at: now)
    }
    func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> FetchOutcome {
        var response = response
        if fault == .keepsTheToken {
            for index in response.lists.indices { response.lists[index].page.digest = nil }
        }
        return try await store.receive(response, at: now)
    }
    func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError) {
        try await store.apply(in: list, shopping: shopping && fault != .appliesAllWhileShopping)
    }
    func saveRetryState(_ retryState: RetryState) async throws(QueueStoreError) {
        if fault != .forgetsRetryState { try await store.saveRetryState(retryState) }
    }
}
