public import TrolleyJournal
public import TrolleyWire

/// A device's storage of lists and of its two queues. Each method is one transaction: when it returns, all its effects
/// are durable; when it throws, there are none. `QueueStoreCheck` in `TrolleySyncTesting` checks the contract of every
/// store.
public protocol QueueStore: Sendable {
    // MARK: For the app

    /// Adds a list that the service doesn't know yet. Does nothing when the store has the list.
    func addList(_ list: ListID) async throws(QueueStoreError)

    /// Adds the device's own entries to the list and to the end of its upload queue. The store numbers them: it
    /// replaces their `deviceSequence` by the next numbers of the device's counter for the list.
    func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry]

    /// The entries from which the shown list is folded: applied confirmed entries, and the device's own unconfirmed
    /// ones.
    func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal

    /// The list's state, without items that were added and finished before anybody saw them.
    func state(of list: ListID) async throws(QueueStoreError) -> ListState

    // MARK: Read by the engine

    func deviceStatus() async throws(QueueStoreError) -> DeviceStatus
    /// The first entries of a list's upload queue, in order.
    func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry]
    /// The received entries of a list that are not applied yet, in order.
    func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry]
    /// The number of entries of each operation in the list's to-apply queue. It is read before each fetch, so a store in
    /// which that queue can be long must not load it.
    func toApplyCounts(in list: ListID) async throws(QueueStoreError) -> [Operation: Int]
    func rejected() async throws(QueueStoreError) -> [RejectedEntry]
    /// A summary of ``rejected()`` for the service: for each code the number of entries, and when the last was
    /// rejected; in any order. It is read before each fetch and there may be many entries, so it must not load them.
    func refusals() async throws(QueueStoreError) -> [PastFailure]

    // MARK: Written by the engine

    /// The request that creates the list on the service, with the proof of ownership if the device has one.
    func createListRequest(for list: ListID) async throws(QueueStoreError) -> CreateListRequest
    /// Records that the service has the list.
    /// - Parameter answer: the service's answer; nil: the list belongs to somebody else. If it has fewer changes than
    ///   the device has seen of the list, the service has lost the list, so the device offers its whole contents again.
    func notePublished(_ list: ListID, as answer: ListResponse?, at now: Timestamp) async throws(QueueStoreError)
    /// Records that the service has deleted a list that was leaving it (``DeviceStatus/leaving``).
    func noteDeleted(_ list: ListID) async throws(QueueStoreError)
    /// Records that these entries are about to be sent: from now on their content must not change.
    func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError)
    /// Records that an upload has ended, with an answer or without: gives new times to the own entries that were not
    /// sent by it and that the service has not confirmed, among the queue's first ``UploadEnd/reach``.
    func noteUploadEnded(_ end: UploadEnd, in list: ListID) async throws(QueueStoreError)
    /// Carries out the ``Settlement`` of entries of the upload queue.
    func settle(_ verdicts: [UploadVerdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError)
    /// Stores the result of a fetch: entries in the to-apply queue, new tokens, lists that came or went. Deletes the
    /// token of a list whose digest differs from the service's afterwards, see `ChangesPage.expectedDigest`.
    ///
    /// A store may store each list in a transaction of its own, so that a list that fails doesn't hold the others up. It
    /// names the lists that failed in ``FetchOutcome/unstored``. When it throws, some lists may have been stored.
    /// - Returns: the counts, including the number of changes that are new to the person.
    func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> FetchOutcome
    /// Applies the entries in the list's to-apply queue: all of them or, in shopping mode (`shopping`), only those that
    /// don't make rows jump. Compresses the queue first, see ``UnseenItemSearch``.
    func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError)
    func saveRetryState(_ retryState: RetryState) async throws(QueueStoreError)
}

extension QueueStore {
    public func createListRequest(for list: ListID) async throws(QueueStoreError) -> CreateListRequest {
        CreateListRequest(id: list)
    }

    /// Loads the queue: for stores on which it is short.
    public func toApplyCounts(in list: ListID) async throws(QueueStoreError) -> [Operation: Int] {
        var counts: [Operation: Int] = [:]
        for entry in try await toApply(in: list) { counts[entry.entry.operation, default: 0] += 1 }
        return counts
    }

    /// Does nothing: for stores whose uploads take no time.
    public func noteUploadEnded(_ end: UploadEnd, in list: ListID) async throws(QueueStoreError) {}
}
