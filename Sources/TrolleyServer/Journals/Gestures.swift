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
    /// may append in between: after entries of the same device the gesture is planned again; entries of others stand beside it.
    private let turns: FairGate<ListID>
    /// One account has few of the places in `turns`. A gesture keeps its place while its account's long reads take turns, so an
    /// account with many lists would keep the gestures of all others waiting.
    private let accounts: FairGate<AccountID>

    /// - Parameters:
    ///   - parallel: the largest number of gestures that run at the same time.
    ///   - parallelOfAccount: the same for one account.
    init(store: Store, uploads: Uploads, limits: Limits, parallel: Int = 64, parallelOfAccount: Int = 4) {
        self.store = store
        self.uploads = uploads
        self.limits = limits
        turns = FairGate(parallel: parallel, parallelOfKey: 1, waiting: 1000, waitingOfKey: 64)
        accounts = FairGate(parallel: .max, parallelOfKey: parallelOfAccount, waiting: 1000, waitingOfKey: 64)
    }

    /// The number of gestures that wait for their turn.
    var waiting: Int { accounts.waiting + turns.waiting }

    /// How often a gesture is planned at most, when other processes append for the same device in between.
    private static let mostPlans = 3

    /// Runs `body` when no other gesture on the list runs in this process. It runs again if another process appends for the same
    /// device in between: `body` must read the list, and append last.
    /// - Throws: `StoreError`: `.notOnList`, `.gone`, `.busy`; the errors of `body`.
    func withTurn<Value>(
        on list: ListID, of account: AccountID, _ body: () async throws -> Value
    ) async throws -> Value {
        try await store.requireMembership(of: account, on: list)
        do {
            return try await accounts.withTurn(of: account) { try await withTurn(on: list, body) }
        } catch is FairGate<AccountID>.QueueFull {
            throw StoreError.busy
        }
    }

    private func withTurn<Value>(on list: ListID, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await turns.withTurn(of: list) { try await planned(body) }
        } catch is FairGate<ListID>.QueueFull {
            throw StoreError.busy
        }
    }

    private func planned<Value>(_ body: () async throws -> Value) async throws -> Value {
        for _ in 1..<Self.mostPlans {
            do { return try await body() } catch let error as StoreError where error.isOvertaken { continue }
        }
        return try await body()
    }

    /// The entries of one gesture, in the order of the drafts.
    /// - Parameter counter: the last deviceSequence of the session's device on the list.
    func entries(of drafts: [EntryDraft], after counter: Int64) -> [JournalEntry] {
        let batch: BatchID? = drafts.count > 1 ? .made() : nil
        return drafts.enumerated().map { index, draft in
            draft.entry(id: .made(), batch: batch, deviceSequence: counter + Int64(index) + 1)
        }
    }

    /// Appends drafts as one gesture: all of them, or none.
    /// - Parameters:
    ///   - counter: the last deviceSequence of the session's device on the list.
    ///   - head: the list's head when the gesture was planned.
    ///   - quiet: registered programs that are not told.
    /// - Throws: as ``append(_:to:by:plannedAt:quiet:)``.
    func append(
        _ drafts: [EntryDraft], to list: ListID, by session: Session, after counter: Int64,
        plannedAt head: SequenceNumber, quiet: PushDontNotify? = nil
    ) async throws {
        try await append(
            entries(of: drafts, after: counter), to: list, by: session, plannedAt: head, quiet: quiet)
    }

    /// Appends the entries of one gesture: all of them, or none. If the database's answer is lost, they are sent again, once:
    /// by their ids they are known if they were stored.
    /// - Parameters:
    ///   - head: the list's head when the gesture was planned.
    ///   - quiet: registered programs that are not told.
    /// - Throws: `StoreError`: `.overtaken`, if the device has appended since; if `leavesDoubt`, the entries may be stored.
    ///   `Problem`, if the entries were refused.
    func append(
        _ entries: [JournalEntry], to list: ListID, by session: Session, plannedAt head: SequenceNumber,
        quiet: PushDontNotify? = nil
    ) async throws {
        guard !entries.isEmpty else { return }
        let request = UploadRequest(entries: entries.map { UploadEntry(entry: $0, age: 0) }, atomic: true)
        let body = try UploadBody(request, limits: limits)
        let answer: UploadResponse
        do throws(StoreError) {
            answer = try await uploads.append(body, to: list, by: session, quiet: quiet, plannedAt: head)
        } catch {
            guard error.leavesDoubt else { throw error }
            let doubt = error
            do throws(StoreError) {
                answer = try await uploads.append(body, to: list, by: session, quiet: quiet, plannedAt: head)
            } catch {
                // The first time it may have been stored all the same.
                throw error.isOvertaken ? error : doubt
            }
        }
        let refusals = answer.results.filter { $0.status == .rejected }
        guard let refusal = refusals.first(where: { $0.code != .batchRequestFailed }) ?? refusals.first else { return }
        throw Problem(refusal.code ?? .internalError, refusal.detail)
    }
}

extension Identifier {
    static func made() -> Self {
        .version7(
            at: HostedClock.now().wall, random: (.random(in: .min ... .max), .random(in: .min ... .max)))
    }
}
