import Testing
import TrolleyJournal

@testable import TrolleyClient

@Suite(.timeLimit(.minutes(20))) struct FoldCacheTests {
    @Test func `the fold of an older version takes no newer one's place`() {
        let cache = FoldCache()
        keep(version: 2, in: cache)
        keep(version: 1, in: cache)
        #expect(cache.folded(7, version: 2, removing: false) != nil)
        #expect(cache.folded(7, version: 1, removing: false) == nil)
    }

    @Test func `a fold that is taken is there no more, and one that is looked at is`() {
        let cache = FoldCache()
        keep(version: 1, in: cache)
        #expect(cache.folded(7, version: 1, removing: false) != nil)
        #expect(cache.folded(7, version: 1, removing: true) != nil)
        #expect(cache.folded(7, version: 1, removing: false) == nil)
    }

    @Test func `a transaction has what it has made itself, of that version and as the only copy`() {
        let cache = FoldCache()
        keep(version: 1, in: cache)
        let folds = TransactionFolds(cache)
        folds.make(CachedFold(version: 2), of: 7)
        folds.make(NamedVersion(version: 2, name: "Shop"), of: 7)
        #expect(folds.folded(7, version: 1, removing: false) != nil, "from the cache")
        #expect(folds.folded(7, version: 3, removing: false) == nil && folds.name(of: 7, version: 3) == nil)
        #expect(folds.name(of: 7, version: 2)?.name == "Shop")
        #expect(folds.folded(7, version: 2, removing: false) != nil)
        #expect(folds.folded(7, version: 2, removing: true) != nil)
        #expect(folds.folded(7, version: 2, removing: true) == nil)
    }

    /// Puts a fold into the cache, as a committed transaction does.
    private func keep(version: Int64, in cache: FoldCache) {
        let folds = TransactionFolds(cache)
        folds.make(CachedFold(version: version), of: 7)
        cache.keep(folds.made)
    }
}
