import Synchronization
import Testing
import TrolleySyncTesting

/// IndexedDB, in the browser of `script/browser-tests`.
@Suite(
    "The web app's store", .serialized, .timeLimit(.minutes(20)),
    .enabled(if: BrowserPage.directory != nil, "script/browser-tests runs these"))
struct BrowserStoreTests {
    static let succession = QueueStoreCheck.succession { try await ($0 as? BrowserStore)?.succeed() }

    @Test(arguments: QueueStoreCheck.all + succession + QueueStoreCheck.random(0..<24))
    func `it does what every queue store must do`(_ check: QueueStoreCheck) async throws {
        let page = try BrowserPage.shared.get()
        let wasOpened = Mutex(false)
        try await check.run {
            let isNew = wasOpened.withLock { wasOpened in
                defer { wasOpened = true }
                return !wasOpened
            }
            return try await BrowserStore(in: page, isNew: isNew)
        }
    }
}
