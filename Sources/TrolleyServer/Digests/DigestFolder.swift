import NIOPosix
import Synchronization
import TrolleyJournal
import TrolleyStore

/// Folds lists for the digests that devices request, within bounds (docs/security.md). It folds one list at a time on a
/// thread of its own, and accounts take turns. A request has a budget of entries. A list is folded once for each place
/// that it reaches.
///
/// A digest is a check that can wait. When there is no capacity, the digest is left out, and a later request gets it.
final class DigestFolder: Sendable {
    /// When a request has folded this many entries, it folds no further list.
    static let entriesPerRequest = 20_000
    /// The maximum number of queued requests.
    static let waiting = 64
    /// Number of digests to keep, about 100 bytes each; up to twice as many are kept.
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

    /// Returns the digests of lists at the heads of their ranges, if they are known or there is capacity to fold the
    /// lists.
    /// - Parameter budget: entries to fold; when it is used up, no further list is folded.
    /// - Throws: `StoreError`.
    func digests(
        of changeRanges: [ChangeRange], for account: AccountID, budget: Int = DigestFolder.entriesPerRequest
    ) async throws -> [ListID: StateDigest] {
        var digests: [ListID: StateDigest] = [:]
        var rest: [ChangeRange] = []
        cache.withLock { cache in
            for changeRange in changeRanges {
                if let digest = cache.digest(at: .init(changeRange)) {
                    digests[changeRange.list] = digest
                } else {
                    rest.append(changeRange)
                }
            }
        }
        var budget = budget
        // In random order, so that every list gets its digest in some request, even if others change often.
        for changeRange in rest.shuffled() where budget > 0 {
            do {
                guard
                    let (folded, entries) = try await gate.withTurn(
                        of: account, { try await fold(changeRange, for: account) })
                else { continue }
                budget -= entries
                digests[changeRange.list] = folded
            } catch is FairGate<AccountID>.QueueFull {
                metrics.count(.limited, [("by", "digests")])
                break
            }
        }
        return digests
    }

    /// - Returns: nil when the list has changed since the range was read, or the account is not on it.
    private func fold(
        _ changeRange: ChangeRange, for account: AccountID
    ) async throws -> (digest: StateDigest, entries: Int)? {
        let place = DigestCache.Place(changeRange)
        // Another request may have folded it while this one waited.
        if let digest = cache.withLock({ $0.digest(at: place) }) { return (digest, 0) }
        guard let whole = try await store.foldIfIdle(changeRange.list, for: account),
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
    init(_ changeRange: ChangeRange) {
        self.init(list: changeRange.list, epoch: changeRange.epoch, head: changeRange.head)
    }
}
