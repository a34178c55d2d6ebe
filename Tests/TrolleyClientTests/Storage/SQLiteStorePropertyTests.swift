import Testing
import TrolleyClient
import TrolleySyncTesting

@Suite(.timeLimit(.minutes(20))) struct SQLiteStorePropertyTests {
    let directory = TemporaryDirectory()

    @Test(arguments: QueueStoreCheck.random(0..<120))
    func `it is as the plain queues, whatever happens`(_ check: QueueStoreCheck) async throws {
        let path = directory.path
        try await check.run { try SQLiteStore(directory: path) }
    }
}
