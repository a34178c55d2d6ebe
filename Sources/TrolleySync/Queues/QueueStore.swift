public import TrolleyJournal
public import TrolleyWire

/// Where a device keeps its lists and its two queues. Each method is one transaction: all of it is durable when the
/// method returns, none of it when it throws. `QueueStoreCheck` in `TrolleySyncTesting` says what
/// every store must do.
public protocol QueueStore: Sendable {
    // MARK: What the device does

    /// Adds a list that the service doesn't know yet. Nothing happens when the store has it.
    func addList(_ list: ListID) async throws(QueueStoreError)

    /// Puts entries of one's own into the list and at the end of its upload queue. The store numbers them: it
    /// replaces their `deviceSequence` with the next ones of the device's counter for the list.
    func append(
        _ entries: [JournalEntry], to list: ListID, made: DeviceTime
    ) async throws(QueueStoreError) -> [JournalEntry]

    /// What the list shows is folded from: confirmed entries that were applied, and one's own that are not confirmed.
    func journal(of list: ListID) async throws(QueueStoreError) -> ListJournal

    /// What the list shows: without items that came and were finished before anybody saw them.
    func state(of list: ListID) async throws(QueueStoreError) -> ListState

    // MARK: What the engine needs to know

    func standing() async throws(QueueStoreError) -> Standing
    /// The first entries of a list's upload queue, in order.
    func waiting(in list: ListID, limit: Int) async throws(QueueStoreError) -> [QueuedEntry]
    /// The entries of a list that were received and are not applied, in order.
    func toApply(in list: ListID) async throws(QueueStoreError) -> [ConfirmedEntry]
    func rejected() async throws(QueueStoreError) -> [RejectedEntry]
    /// What of ``rejected()`` is told to the service: for each code how many, and when the last was refused; in any order. There
    /// may be many, and this is asked before each fetch, so none is read.
    func refusals() async throws(QueueStoreError) -> [PastFailure]

    // MARK: What the engine reports

    /// What the device has to say when it makes a list on the service: with its proof of ownership, if it has one.
    func claim(on list: ListID) async throws(QueueStoreError) -> CreateListRequest
    /// The service has the list now.
    /// - Parameter answer: what it said; nil: that the list is somebody else's. Where it has fewer changes than the device has
    ///   seen of the list, it has lost the list, so all that the device has of it is offered again.
    func notePublished(_ list: ListID, as answer: ListResponse?, at now: Timestamp) async throws(QueueStoreError)
    /// These entries are about to be sent: from now on their content must not change.
    func noteSending(_ entries: [EntryID], in list: ListID) async throws(QueueStoreError)
    /// Takes entries out of the upload queue by what became of them.
    func settle(_ verdicts: [Verdict], in list: ListID, at now: Timestamp) async throws(QueueStoreError)
    /// Takes in what a fetch brought: entries into the to-apply queue, the new tokens, lists that came or went. A list that
    /// has another digest than the service's afterwards forgets its token, see `ChangesPage.expectedDigest`.
    /// - Returns: how much of it is news to the person.
    func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError) -> Receipt
    /// Applies what waits in the list's to-apply queue: all of it, or all but what would make the list jump under
    /// the finger (`shopping`). Compresses it before, see ``ArrivalSearch``.
    func apply(in list: ListID, shopping: Bool) async throws(QueueStoreError)
    func remember(_ pace: Pace) async throws(QueueStoreError)
}

extension QueueStore {
    public func claim(on list: ListID) async throws(QueueStoreError) -> CreateListRequest {
        CreateListRequest(id: list)
    }
}
