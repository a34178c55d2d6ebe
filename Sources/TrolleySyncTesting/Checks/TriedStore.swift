import TrolleyJournal
import TrolleySync
import TrolleyWire

/// The store that a check tests, with one list.
struct TriedStore: Sendable {
    let check: String
    let store: any QueueStore
    let open: @Sendable () async throws -> any QueueStore
    let list: ListID = Samples.id()
    let now = Samples.time(10).wall

    /// The same store as after a restart.
    func reopened() async throws -> any QueueStore { try await open() }

    func expect(_ condition: Bool, _ expectation: String, line: Int = #line) throws {
        guard condition else { throw QueueStoreFailure(check: check, expectation: expectation, found: nil, line: line) }
    }

    func expect<Value: Equatable>(
        _ found: Value, is expected: Value, _ expectation: String, line: Int = #line
    ) throws {
        guard found == expected else {
            throw QueueStoreFailure(
                check: check, expectation: expectation, found: "\(found) instead of \(expected)", line: line)
        }
    }

    /// Unwraps a part that every sample has.
    func item(_ entry: JournalEntry) throws -> ItemID {
        guard let item = entry.item else {
            throw QueueStoreFailure(check: check, expectation: "a sample names its item", found: nil, line: #line)
        }
        return item
    }

    // MARK: The service's answers

    func confirmed(_ entry: JournalEntry, _ sequence: Int64, at time: Int64 = 10) -> ConfirmedEntry {
        let at = Samples.time(time).wall
        return ConfirmedEntry(
            entry: entry, sequence: SequenceNumber(rawValue: sequence), author: Self.somebody, device: Self.elsewhere,
            madeAt: at, receivedAt: at)
    }

    func change(_ entry: JournalEntry, _ sequence: Int64, at time: Int64 = 10) -> Change {
        Change(sequence: SequenceNumber(rawValue: sequence), body: .entry(confirmed(entry, sequence, at: time)))
    }

    func page(
        _ changes: [Change], of list: ListID? = nil, token: String, more: Bool = false, snapshot: Bool = false,
        digest: StateDigest? = nil, through: Int64? = nil
    ) -> AllChangesResponse {
        let page = ChangesPage(
            changes: changes, token: token, moreComing: more, snapshot: snapshot, digest: digest,
            through: through.map { SequenceNumber(rawValue: $0) })
        return AllChangesResponse(
            lists: [AllChangesResponse.List(id: list ?? self.list, page: page)], moreComing: more)
    }

    func gone(_ list: ListID, _ reason: ListGoneReason) -> AllChangesResponse {
        var response = AllChangesResponse(lists: [])
        response.gone = [list: reason]
        return response
    }

    func accepted(_ entry: JournalEntry, _ sequence: Int64) -> UploadVerdict {
        UploadVerdict(entry: entry.id, outcome: .accepted(SequenceNumber(rawValue: sequence)))
    }

    // MARK: The store's state

    /// Publishes the list, with the device's own entries on it.
    func makeList(_ entries: [JournalEntry] = []) async throws -> [JournalEntry] {
        try await store.addList(list)
        let made = entries.isEmpty ? [] : try await store.append(entries, to: list, made: Samples.time())
        try await store.notePublished(list, as: nil, at: now)
        return made
    }

    /// Receives a page and applies all entries.
    @discardableResult
    func fetch(_ response: AllChangesResponse, at time: Timestamp? = nil) async throws -> FetchOutcome {
        let fetchOutcome = try await store.receive(response, at: time ?? now)
        try await store.apply(in: list, shopping: false)
        return fetchOutcome
    }

    func waiting() async throws -> [JournalEntry] { try await store.waiting(in: list, limit: 100).map(\.entry) }
    func toApply() async throws -> [JournalEntry] { try await store.toApply(in: list).map(\.entry) }
    func pending() async throws -> [JournalEntry] { try await store.journal(of: list).pending.map(\.entry) }
    func applied() async throws -> [JournalEntry] { try await store.journal(of: list).confirmed.map(\.entry) }
    func token() async throws -> String? { try await store.deviceStatus().lists.first { $0.id == list }?.token }

    private static let somebody: AccountID = Samples.id()
    private static let elsewhere: DeviceID = Samples.id()
}
