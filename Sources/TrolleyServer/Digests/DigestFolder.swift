import NIOPosix
import Synchronization
import TrolleyJournal
import TrolleyStore

/// Folds lists for the digests that devices ask for, within bounds (docs/security.md): one list at a time on a thread of its
/// own, accounts in turn; a request has a budget of entries; and a list is folded once for each place that it reaches.
///
/// A digest is a check that can wait. Where there is no room for it, it is left out, and a later request gets it.
final class DigestFolder: Sendable {
    /// Entries that the lists of one request may have, before it folds no further list.
    static let entriesPerRequest = 20_000
    /// Requests that may wait for their turn to fold a list.
    static let waiting = 64
    /// Lists whose digest is kept, about 100 bytes each; at most twice as many.
    static let kept = 25_000

    private let store: Store
    private let metrics: ServiceMetrics
    let gate = FairGate<AccountID>(parallel: 1, waiting: DigestFolder.waiting)
    private let thread = NIOThreadPool(numberOfThreads: 1)
    private let cache = Mutex(DigestCache(maximum: DigestFolder.kept))

    init(store: Store, metrics: ServiceMetrics) {
        self.store = store
        self.metrics = metrics
        thread.start()
    }

    /// The digests of lists at the heads of their stretches, as far as they are known or there is room to fold them.
    /// - Parameter budget: entries to fold, until no further list is.
    /// - Throws: `StoreError`.
    func digests(
        of stretches: [ChangeStretch], for account: AccountID, budget: Int = DigestFolder.entriesPerRequest
    ) async throws -> [ListID: StateDigest] {
        var digests: [ListID: StateDigest] = [:]
        var rest: [ChangeStretch] = []
        cache.withLock { cache in
            for stretch in stretches {
                if let digest = cache.digest(at: .init(stretch)) {
                    digests[stretch.list] = digest
                } else {
                    rest.append(stretch)
                }
            }
        }
        var budget = budget
        // In any order, so that each list gets its turn in some request, however often those before it change.
        for stretch in rest.shuffled() where budget > 0 {
            do {
                guard
                    let (folded, entries) = try await gate.withTurn(
                        of: account, { try await fold(stretch, for: account) })
                else { continue }
                budget -= entries
                digests[stretch.list] = folded
            } catch is FairGate<AccountID>.Crowded {
                metrics.count(.limited, [("by", "digests")])
                break
            }
        }
        return digests
    }

    /// - Returns: nil when the list is no longer as the stretch says, or the account is not on it.
    private func fold(
        _ stretch: ChangeStretch, for account: AccountID
    ) async throws -> (digest: StateDigest, entries: Int)? {
        let place = DigestCache.Place(stretch)
        // Another request may have folded it, while this one waited.
        if let digest = cache.withLock({ $0.digest(at: place) }) { return (digest, 0) }
        guard let whole = try await store.wholeList(stretch.list, for: account),
            DigestCache.Place(list: whole.list, epoch: whole.epoch, head: whole.sequence) == place
        else {
            return nil
        }
        let digest = try await thread.runIfActive { whole.fold.digest }
        cache.withLock { $0.insert(digest, at: place) }
        return (digest, whole.entries)
    }
}

extension DigestCache.Place {
    init(_ stretch: ChangeStretch) { self.init(list: stretch.list, epoch: stretch.epoch, head: stretch.head) }
}
