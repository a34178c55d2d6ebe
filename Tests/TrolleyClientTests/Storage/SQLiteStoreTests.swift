import FoundationEssentials
import Testing
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@Suite(.timeLimit(.minutes(20))) struct SQLiteStoreTests {
    let directory = TemporaryDirectory()

    @Test(arguments: QueueStoreCheck.all)
    func `it does what every queue store must do`(_ check: QueueStoreCheck) async throws {
        let path = directory.path
        try await check.run { try SQLiteStore(directory: path) }
    }

    @Test func `nothing that a person wrote stands in the files`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        try await store.addList(list)
        _ = try await store.append([Samples.add("haemorrhoid cream")], to: list, made: Samples.time())
        for file in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let bytes = try Data(contentsOf: URL(filePath: directory.path + "/" + file))
            #expect(bytes.firstRange(of: Data("haemorrhoid".utf8)) == nil)
        }
    }

    @Test func `only the owner can see into the directory`() async throws {
        _ = try SQLiteStore(directory: directory.path + "/a/b")
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/a/b")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        let key = try FileManager.default.attributesOfItem(atPath: directory.path + "/a/b/key")
        #expect(key[.posixPermissions] as? Int == 0o600)
    }

    @Test func `another key opens nothing and says so`() async throws {
        let list: ListID = Samples.id()
        let store = try SQLiteStore(directory: directory.path)
        try await store.addList(list)
        _ = try await store.append([Samples.add("milk")], to: list, made: Samples.time())
        try Data(repeating: 7, count: 32).write(to: URL(filePath: directory.path + "/key"))
        let thief = try SQLiteStore(directory: directory.path)
        await #expect(throws: QueueStoreError.unreadable("it was encrypted with another key, or is damaged")) {
            _ = try await thief.journal(of: list)
        }
    }

    @Test func `two programs on one home number entries without gaps`() async throws {
        let one = try SQLiteStore(directory: directory.path)
        let other = try SQLiteStore(directory: directory.path)
        let list: ListID = Samples.id()
        try await one.addList(list)
        try await withThrowingTaskGroup { group in
            for index in 0..<40 {
                group.addTask {
                    _ = try await (index % 2 == 0 ? one : other).append(
                        [Samples.add("x")], to: list, made: Samples.time())
                }
            }
            try await group.waitForAll()
        }
        let numbers = try await one.waiting(in: list, limit: 100).map(\.entry.deviceSequence)
        #expect(numbers == Array(1...40))
    }
}

/// A directory that is removed when the test ends.
final class TemporaryDirectory: Sendable {
    let path = FileManager.default.temporaryDirectory.path() + "/trolley-\(UUID().uuidString)"

    deinit {
        do {
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // The file was never created.
        }
    }
}
