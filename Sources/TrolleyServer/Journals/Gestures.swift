import TrolleyJournal
import TrolleyStore
import TrolleySync
import TrolleyWire

/// Gestures of clients that keep no journal of their own: the service reads the list, plans the entries, and appends them as
/// uploads are, under the session's role and as its device.
struct Gestures: Sendable {
    let store: Store
    let uploads: Uploads
    let limits: Limits
    /// Gestures on a list run one after the other, so that what was read holds until the entries are appended. Another process
    /// may append in between; then both changes are in the journal.
    private let turns = FairGate<ListID>(parallel: 64, parallelOfKey: 1, waiting: 1000, waitingOfKey: 64)

    init(store: Store, uploads: Uploads, limits: Limits) {
        self.store = store
        self.uploads = uploads
        self.limits = limits
    }

    /// Runs `body` when no other gesture on the list runs in this process.
    /// - Throws: `StoreError`: `.notOnList`, `.gone`, `.busy`; the errors of `body`.
    func withTurn<Value>(
        on list: ListID, of account: AccountID, _ body: () async throws -> Value
    ) async throws -> Value {
        try await store.requireMembership(of: account, on: list)
        do { return try await turns.withTurn(of: list, body) } catch is FairGate<ListID>.QueueFull {
            throw StoreError.busy
        }
    }

    /// Appends entries as one gesture: all of them, or none.
    /// - Parameters:
    ///   - counter: the last deviceSequence of the session's device on the list.
    ///   - quiet: registered programs that are not told.
    /// - Returns: the entries, in the order of the drafts.
    @discardableResult
    func append(
        _ drafts: [EntryDraft], to list: ListID, by session: Session, after counter: Int64,
        quiet: PushDontNotify? = nil
    ) async throws -> [JournalEntry] {
        guard !drafts.isEmpty else { return [] }
        let batch: BatchID? = drafts.count > 1 ? .made() : nil
        let entries = drafts.enumerated().map { index, draft in
            draft.entry(id: .made(), batch: batch, deviceSequence: counter + Int64(index) + 1)
        }
        let request = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 0) }, atomic: true)
        let answer = try await uploads.append(
            UploadBody(request, limits: limits), to: list, by: session, quiet: quiet)
        let refusals = answer.results.filter { $0.status == .rejected }
        guard let refusal = refusals.first(where: { $0.code != .batchRequestFailed }) ?? refusals.first else {
            return entries
        }
        throw Problem(refusal.code ?? .internalError, refusal.detail)
    }
}

extension Identifier {
    static func made() -> Self {
        .version7(
            at: HostedClock.now().wall, random: (.random(in: .min ... .max), .random(in: .min ... .max)))
    }
}
