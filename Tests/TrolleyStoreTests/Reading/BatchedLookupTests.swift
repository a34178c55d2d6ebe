import Synchronization
import Testing
import TrolleyPostgres

@testable import TrolleyStore

@Suite("Grouped lookups", .timeLimit(.minutes(20)))
struct BatchedLookupTests {
    /// A database that answers when the test says so.
    private final class Database: Sendable {
        let asked = Mutex<[Set<Int>]>([])
        let gates = Mutex<[Promise<StoreError?>]>([])

        func answer(_ questions: Set<Int>) async throws(StoreError) -> [Int: String] {
            let promise = Promise<StoreError?>()
            asked.withLock { $0.append(questions) }
            gates.withLock { $0.append(promise) }
            if let error = await promise.value { throw error }
            return Dictionary(uniqueKeysWithValues: questions.map { ($0, "\($0)") })
        }

        func finish(_ batch: Int, _ error: StoreError? = nil) async {
            while asked.withLock({ $0.count }) <= batch { await Task.yield() }
            gates.withLock { $0[batch] }.fulfill(error)
        }
    }

    private func lookup(
        _ database: Database, waiting: Int = 100, timeout: Duration = .seconds(3600)
    ) -> BatchedLookup<Int, String> {
        BatchedLookup(parallel: 1, maxBatchSize: 2, maxWaiting: waiting, timeout: timeout) {
            (questions) throws(StoreError) in try await database.answer(questions)
        }
    }

    /// Asks, and returns when the question waits behind the first batch.
    private func ask(
        _ questions: ClosedRange<Int>, _ lookup: BatchedLookup<Int, String>, _ database: Database
    ) async -> [Task<String, Never>] {
        var tasks: [Task<String, Never>] = []
        for question in questions {
            let before = lookup.waiting
            tasks.append(Task { await failure { try await lookup.ask(question) } })
            if question == 0 {
                while database.asked.withLock(\.isEmpty) { await Task.yield() }
            } else {
                while lookup.waiting == before { await Task.yield() }
            }
        }
        return tasks
    }

    @Test("when the database is lost, all that wait fail at once")
    func lost() async throws {
        let database = Database()
        let lookup = lookup(database)
        let tasks = await ask(0...9, lookup, database)
        await database.finish(0, .unavailable(PostgresError(.connectionLost, "gone")))
        for task in tasks { #expect(await task.value.hasPrefix("unavailable")) }
        #expect(database.asked.withLock(\.count) == 1)
        // The next question is asked again.
        let next = Task { try await lookup.ask(7) }
        await database.finish(1)
        #expect(try await next.value == "7")
    }

    @Test("an error of one statement concerns its own questions only")
    func own() async throws {
        let database = Database()
        let lookup = lookup(database)
        let tasks = await ask(0...2, lookup, database)
        await database.finish(0, .unavailable(PostgresError(.server, "deadlock", sqlState: .deadlockDetected)))
        await database.finish(1)
        #expect(await tasks[0].value.hasPrefix("unavailable"))
        for task in tasks[1...] { #expect(await task.value == "nothing") }
    }

    @Test("a question of a cancelled task is not asked")
    func cancelled() async throws {
        let database = Database()
        let lookup = lookup(database)
        let tasks = await ask(0...3, lookup, database)
        tasks[1].cancel()
        tasks[0].cancel()
        for task in tasks[0...1] { #expect(await task.value.contains("cancelled")) }
        await database.finish(0)
        await database.finish(1)
        for task in tasks[2...] { #expect(await task.value == "nothing") }
        #expect(database.asked.withLock { $0 } == [[0], [2, 3]])
    }

    @Test("a question beyond the bound is refused")
    func refused() async throws {
        let database = Database()
        let lookup = lookup(database, waiting: 2)
        let tasks = await ask(0...2, lookup, database)
        #expect(await failure { try await lookup.ask(3) } == "overloaded")
        await database.finish(0)
        await database.finish(1)
        for task in tasks { #expect(await task.value == "nothing") }
    }

    @Test("a question ends at its deadline when the database doesn't answer")
    func overdue() async throws {
        let database = Database()
        let lookup = lookup(database, timeout: .milliseconds(50))
        let error = await #expect(throws: StoreError.self) { try await lookup.ask(0) }
        #expect(error?.outage == .overloaded)
        await database.finish(0)
    }
}
