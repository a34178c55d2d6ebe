import Testing
import TrolleySyncTesting

@testable import TrolleyClient

/// Every journal that is read is bundled at once, in bundles of three entries, so the next reading uses them.
@Suite(.timeLimit(.minutes(20))) struct BundlePropertyTests {
    let directory = TemporaryDirectory()

    @Test(arguments: QueueStoreCheck.all + QueueStoreCheck.random(1000..<1060))
    func `a store that reads from bundles is as the plain queues, whatever happens`(
        _ check: QueueStoreCheck
    ) async throws {
        let path = directory.path
        try await check.run {
            try SQLiteStore(directory: path, bundleSizes: BundleSizes(worthStoring: 1, most: 3))
        }
    }
}
