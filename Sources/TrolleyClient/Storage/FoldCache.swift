import Synchronization
import TrolleyJournal

/// The fold of one version of a list.
struct CachedFold: Sendable {
    var version: Int64
    var fold = ListFold()
    /// The time of the list's latest change.
    var latest: Timestamp?
    /// The number of its entries.
    var count = 0

    mutating func apply(_ entry: ConfirmedEntry) {
        fold.apply(entry)
        note(entry.madeAt)
    }

    mutating func note(_ madeAt: Timestamp) {
        latest = latest.map { max($0, madeAt) } ?? madeAt
        count += 1
    }
}

/// A list's name in one version of the list.
struct NamedVersion: Sendable {
    var version: Int64
    var name: String?
}

/// Caches the folds of recently used lists, so that a change doesn't fold the whole list again.
///
/// Everything that changes a list's fold raises the list's version, whichever program does it. A cached fold is used
/// only for the same version, so it is never wrong.
final class FoldCache: Sendable {
    /// The largest number of entries in cached folds, not counting the list that was used last: some megabytes.
    private static let capacity = 20_000

    private let kept = Mutex<[(list: Int64, folded: CachedFold)]>([])
    private let names = Mutex<[Int64: NamedVersion]>([:])

    /// - Parameter removing: whether the caller will change the fold, and so needs the only copy.
    func folded(_ list: Int64, version: Int64, removing: Bool) -> CachedFold? {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.list == list && $0.folded.version == version }) else {
                return nil
            }
            return removing ? kept.remove(at: index).folded : kept[index].folded
        }
    }

    func name(of list: Int64, version: Int64) -> NamedVersion? {
        names.withLock { names in names[list].flatMap { $0.version == version ? $0 : nil } }
    }

    func keep(_ made: TransactionFolds.Made) {
        keep(made.folds)
        guard !made.names.isEmpty else { return }
        names.withLock { $0.merge(made.names) { $0.version > $1.version ? $0 : $1 } }
    }

    private func keep(_ folds: [Int64: CachedFold]) {
        guard !folds.isEmpty else { return }
        kept.withLock { kept in
            for (list, folded) in folds {
                if let index = kept.firstIndex(where: { $0.list == list }) {
                    guard kept[index].folded.version <= folded.version else { continue }
                    kept.remove(at: index)
                }
                kept.append((list, folded))
            }
            var count = kept.reduce(0) { $0 + $1.folded.count }
            while count > Self.capacity, kept.count > 1 { count -= kept.removeFirst().folded.count }
        }
    }

    func forget() { kept.withLock { $0 = [] } }
}

/// The folds that one transaction uses. Folds that it makes go to the cache only after it has committed.
final class TransactionFolds {
    struct Made: Sendable {
        fileprivate(set) var folds: [Int64: CachedFold] = [:]
        fileprivate(set) var names: [Int64: NamedVersion] = [:]
        /// What the file is to keep, so that the next transaction, or the next program, decrypts less.
        fileprivate(set) var overviews: [ListOverview] = []
        fileprivate(set) var bundles: [MadeBundles] = []
    }

    private let cache: FoldCache
    private(set) var made = Made()
    /// The sizes of bundles that the transaction makes; nil: bundles and overviews aren't stored afterwards, so it makes none.
    let bundleSizes: BundleSizes?

    init(_ cache: FoldCache, bundleSizes: BundleSizes? = nil) {
        self.cache = cache
        self.bundleSizes = bundleSizes
    }

    func make(_ overview: ListOverview) { made.overviews.append(overview) }

    func make(_ bundles: MadeBundles) { made.bundles.append(bundles) }

    func folded(_ list: ListRow, removing: Bool) -> CachedFold? {
        folded(list.key, version: list.version, removing: removing)
    }

    /// - Parameter removing: whether the caller will change the fold, and so needs the only copy.
    func folded(_ list: Int64, version: Int64, removing: Bool) -> CachedFold? {
        guard let folded = made.folds[list], folded.version == version else {
            return cache.folded(list, version: version, removing: removing)
        }
        if removing { made.folds[list] = nil }
        return folded
    }

    func make(_ folded: CachedFold, of list: ListRow) { make(folded, of: list.key) }

    func make(_ folded: CachedFold, of list: Int64) { made.folds[list] = folded }

    func name(of list: ListRow) -> NamedVersion? { name(of: list.key, version: list.version) }

    func name(of list: Int64, version: Int64) -> NamedVersion? {
        guard let named = made.names[list], named.version == version else {
            return cache.name(of: list, version: version)
        }
        return named
    }

    func make(_ name: NamedVersion, of list: ListRow) { make(name, of: list.key) }

    func make(_ name: NamedVersion, of list: Int64) { made.names[list] = name }
}
