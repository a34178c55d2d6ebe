import GRDB
import Testing
import TrolleyJournal
import TrolleySyncTesting

@testable import TrolleyClient

/// Overviews and bundles are stored after reading, and nobody waits for that.
@Suite(.timeLimit(.minutes(20))) struct StoredCopiesTests {
    let directory = TemporaryDirectory()

    /// A list of some 600 entries.
    private func library() async throws -> ShoppingList {
        let device = try Device(directory: directory.path)
        let list = try await device.makeList(named: "Shop")
        try await list.add((0..<599).map { "item \($0)" }.joined(separator: "\n"))
        return list
    }

    private func count(_ table: String) async throws -> Int {
        let file = try DatabaseQueue(path: directory.path + "/device.sqlite")
        return try await file.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    @Test func `lists are shown at once while another program writes, and their copies are stored the next time`()
        async throws
    {
        let list = try await library()
        let device = try Device(directory: directory.path)
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: directory.path + "/device.sqlite", configuration: configuration)
        try await other.writeWithoutTransaction { try $0.beginTransaction(.immediate) }
        let clock = ContinuousClock()
        // A program that wants to write waits 10 s for another one's lock, each time. A busy machine is as slow now and then.
        var isAtOnce = false
        for _ in 0..<10 where !isAtOnce {
            device.store.forgetFolds()
            let start = clock.now
            #expect(try await device.lists().map(\.wanted) == [599])
            #expect(try await device.list(list.id).state().items.count == 599)
            #expect(try await Device(directory: directory.path).lists().map(\.wanted) == [599], "one that begins now")
            isAtOnce = clock.now - start < .seconds(8)
        }
        #expect(isAtOnce)
        try await other.writeWithoutTransaction { try $0.rollback() }
        #expect(try await count("overview") == 0)
        #expect(try await count("bundle") == 0)

        let timeout = try await device.store.read { try Int.fetchOne($0.db, sql: "PRAGMA busy_timeout") }
        #expect(timeout == 10_000, "the person's own changes wait for the other program")
        device.store.forgetFolds()
        _ = try await device.lists()
        #expect(try await count("overview") == 1)
        #expect(try await count("bundle") == 1)
    }

    @Test func `a program that follows the lists stores what the next program needs`() async throws {
        _ = try await library()
        let device = try Device(directory: directory.path)
        var updates = device.listUpdates.makeAsyncIterator()
        #expect(try await updates.next()?.map(\.wanted) == [599])
        // The suite's time limit ends it when they are never stored.
        for table in ["overview", "bundle"] {
            while try await count(table) == 0 { await Task.yield() }
            #expect(try await count(table) == 1)
        }
    }
}
