import Synchronization
import TrolleyJournal

/// The fold of one version of a list.
struct Folded: Sendable {
    var version: Int64
    var fold = ListFold()
    /// When the latest change in it was made.
    var latest: Timestamp?
    /// Entries in it.
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

/// What a list is called in one version of it.
struct NamedVersion: Sendable {
    var version: Int64
    var name: String?
}

/// Folds of lists that were used lately, so that a change costs what it costs, and not the list's whole life.
///
/// A list's version moves on with whatever is folded, whichever program changes it. So a fold that is kept may be of
/// another moment, and is not used then; it is never wrong.
final class FoldCache: Sendable {
    /// Entries that are kept folded at the most, but for the list that was used last: some megabytes.
    private static let capacity = 20_000

    private let kept = Mutex<[(list: Int64, folded: Folded)]>([])
    private let names = Mutex<[Int64: NamedVersion]>([:])

    /// - Parameter taking: whether the caller will change it, and so must have the only copy.
    func folded(_ list: Int64, version: Int64, taking: Bool) -> Folded? {
        kept.withLock { kept in
            guard let index = kept.firstIndex(where: { $0.list == list && $0.folded.version == version }) else {
                return nil
            }
            return taking ? kept.remove(at: index).folded : kept[index].folded
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

    private func keep(_ folds: [Int64: Folded]) {
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

/// The folds that one transaction uses. What it makes is kept when it has committed, and not before.
final class TransactionFolds {
    struct Made: Sendable {
        fileprivate(set) var folds: [Int64: Folded] = [:]
        fileprivate(set) var names: [Int64: NamedVersion] = [:]
    }

    private let cache: FoldCache
    private(set) var made = Made()

    init(_ cache: FoldCache) { self.cache = cache }

    func folded(_ list: ListRow, taking: Bool) -> Folded? {
        cache.folded(list.key, version: list.version, taking: taking)
    }

    func make(_ folded: Folded, of list: ListRow) { make(folded, of: list.key) }

    func make(_ folded: Folded, of list: Int64) { made.folds[list] = folded }

    func name(of list: ListRow) -> NamedVersion? { cache.name(of: list.key, version: list.version) }

    func make(_ name: NamedVersion, of list: ListRow) { made.names[list.key] = name }
}
