import FoundationEssentials
import GRDB
import Testing
import TrolleyJournal
import TrolleySync
import TrolleySyncTesting

@testable import TrolleyClient

/// The database as a file.
@Suite(.timeLimit(.minutes(20))) struct SQLiteFileTests {
    let directory = TemporaryDirectory()

    @Test func `it is written ahead, and what was written survives a loss of power`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let modes = try await store.read { transaction in
            (
                try String.fetchOne(transaction.db, sql: "PRAGMA journal_mode"),
                try Int.fetchOne(transaction.db, sql: "PRAGMA synchronous"),
                try Int.fetchOne(transaction.db, sql: "PRAGMA foreign_keys")
            )
        }
        // SQLite's values are 0 for OFF, 1 for NORMAL, 2 for FULL, 3 for EXTRA.
        #expect(modes == ("wal", 2, 1))
    }

    @Test func `a file of the first version is brought up to date, with all that is in it`() async throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        let list: ListID = Samples.id()
        let old = try DatabaseQueue(path: directory.path + "/device.sqlite")
        try Schema.migrator.migrate(old, upTo: "0001-initial")
        try await old.write { [id = list.data] db in
            try db.execute(sql: "INSERT INTO list (account, id, token) VALUES (x'', ?, 'a')", arguments: [id])
        }
        try old.close()

        let store = try SQLiteStore(directory: directory.path)
        #expect(try await store.deviceStatus().lists.map(\.id) == [list])
        _ = try await store.append([Samples.add("milk")], to: list, made: Samples.time())
        let isCurrent = try await store.read { try Schema.migrator.hasCompletedMigrations($0.db) }
        #expect(isCurrent)
    }

    /// It happens with each fetch, however much is kept.
    @Test func `what is kept too long for a restored service is found by an index`() async throws {
        let store = try SQLiteStore(directory: directory.path)
        let plan = try await store.read {
            try Row.fetchAll($0.db, sql: "EXPLAIN QUERY PLAN DELETE FROM confirmed WHERE kept < 0")
                .map { $0["detail"] as String }
        }
        #expect(plan.count == 1 && plan[0].contains("SEARCH") && plan[0].contains("confirmed_by_age"), "\(plan)")
    }

    @Test func `only one file knows which C library it stands on`() throws {
        let sources =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
            .joined(separator: "/") + "/Sources/TrolleyClient"
        for file in try FileManager.default.subpathsOfDirectory(atPath: sources) where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
            let knows = ["Glibc", "Musl", "Darwin"].contains { text.contains("import \($0)") }
            #expect(knows == (file == "Platform/Platform.swift"), "\(file)")
        }
    }

    @Test(arguments: ["TrolleyJournal", "TrolleyWire", "TrolleySync", "TrolleyClient", "trolley"])
    func `targets for Apple's systems check whether they can import FoundationEssentials`(target: String) throws {
        let sources =
            #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4)
            .joined(separator: "/") + "/Sources/\(target)"
        for file in try FileManager.default.subpathsOfDirectory(atPath: sources) where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: sources + "/" + file, encoding: .utf8)
            guard text.contains("import FoundationEssentials") else { continue }
            #expect(text.contains("#if canImport(FoundationEssentials)"), "\(file)")
        }
    }
}
