import Testing
import TrolleyPostgres
import TrolleyTestSupport

@Suite(.timeLimit(.minutes(20))) struct PoolTests {
    private struct Oops: Error {}

    private actor Borrowers {
        private var inUse: Set<Int32> = []

        func borrow(_ process: Int32) -> Bool { inUse.insert(process).inserted }
        func giveBack(_ process: Int32) { inUse.remove(process) }
    }

    /// - Parameter acquireTimeout: enough for a machine that is busy with all other tests, unless a test is about it.
    private func withPool<R>(
        of maximum: Int = 2, acquireTimeout: Duration = .seconds(120), _ body: (Pool) async throws -> R
    ) async throws -> R {
        try await withTestDatabase { url in
            var options = Pool.Options()
            options.maximumConnections = maximum
            options.acquireTimeout = acquireTimeout
            let pool = Pool(try PostgresConfiguration(url), options: options)
            let answer = try await body(pool)
            await pool.close()
            return answer
        }
    }

    @Test func `many share few connections, each alone on its own`() async throws {
        try await withPool(of: 3) { pool in
            let borrowers = Borrowers()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        try await pool.withConnection { connection in
                            let process = try await connection.backendPID
                            #expect(await borrowers.borrow(process))
                            _ = try await connection.execute("SELECT pg_sleep(0.001)")
                            await borrowers.giveBack(process)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(pool.statistics.opened <= 3)
            #expect(pool.statistics.busy == 0)
        }
    }

    @Test func `a transaction is committed, or rolled back when it throws`() async throws {
        try await withPool { pool in
            try await pool.withConnection { try await $0.run(script: "CREATE TABLE thing (a int)") }
            try await pool.withTransaction { _ = try await $0.execute("INSERT INTO thing VALUES (1)") }
            await #expect(throws: Oops.self) {
                try await pool.withTransaction { connection in
                    _ = try await connection.execute("INSERT INTO thing VALUES (2)")
                    throw Oops()
                }
            }
            let rows = try await pool.withConnection { try await $0.execute("SELECT a FROM thing") }
            #expect(try rows.map { try $0.decode(Int.self, at: 0) } == [1])
            #expect(pool.statistics.opened == 1)
        }
    }

    @Test func `a transaction begins and ends with its first and last commands, in two round trips`() async throws {
        try await withPool(of: 1) { pool in
            try await pool.withConnection { try await $0.run(script: "CREATE TABLE thing (a int PRIMARY KEY)") }
            let before = pool.statistics.roundTrips
            let found = try await pool.withTransaction(opening: ["INSERT INTO thing VALUES (1) RETURNING a"]) {
                _, rows in
                (try rows[0][0].decode(Int.self, at: 0), closing: ["INSERT INTO thing VALUES (2)"])
            }
            #expect(found == 1 && pool.statistics.roundTrips == before + 2)
            // A failure at any point rolls back everything.
            await #expect(throws: PostgresError.self) {
                try await pool.withTransaction(opening: ["INSERT INTO thing VALUES (3)"]) { _, _ in
                    ((), closing: ["INSERT INTO thing VALUES (1)"])
                }
            }
            await #expect(throws: PostgresError.self) {
                try await pool.withTransaction(opening: ["SELECT 1/0"]) { _, _ in ((), closing: []) }
            }
            await #expect(throws: Oops.self) {
                try await pool.withTransaction(opening: ["INSERT INTO thing VALUES (4)"]) {
                    _, _ -> (Void, closing: [Query]) in throw Oops()
                }
            }
            let rows = try await pool.withConnection { try await $0.execute("SELECT a FROM thing ORDER BY a") }
            #expect(try rows.map { try $0.decode(Int.self, at: 0) } == [1, 2])
            #expect(pool.statistics.opened == 1)
        }
    }

    @Test func `a transaction whose failure was swallowed is no success`() async throws {
        try await withPool { pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { connection in
                    _ = try? await connection.execute("SELECT 1/0")
                }
            }
            #expect(error?.sqlState == .inFailedTransaction)
        }
    }

    @Test func `a cancelled transaction is rolled back, and its connection lent again`() async throws {
        try await withPool(of: 1) { pool in
            let observer = try await Connection.connect(pool.configuration)
            try await pool.withConnection { try await $0.run(script: "CREATE TABLE thing (a int)") }
            let task = Task {
                try await pool.withTransaction { connection in
                    _ = try await connection.execute("INSERT INTO thing VALUES (1)")
                    _ = try await connection.execute("SELECT pg_sleep(60)")
                }
            }
            try await observer.untilSomebodyExecutes("pg_sleep(60)")
            task.cancel()
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            let rows = try await pool.withConnection { try await $0.execute("SELECT a FROM thing") }
            #expect(rows.isEmpty)
            #expect(pool.statistics.opened == 1)
        }
    }

    @Test(arguments: TransactionIsolation.allCases)
    func `isolation is what was asked for`(_ isolation: TransactionIsolation) async throws {
        try await withPool { pool in
            let rows = try await pool.withTransaction(isolation: isolation) { connection in
                try await connection.execute(
                    "SELECT upper(current_setting('transaction_isolation')), current_setting('transaction_read_only')")
            }
            let (level, readOnly) = try rows[0].decode((String, String).self)
            #expect(isolation.rawValue.hasPrefix(level))
            #expect(readOnly == (isolation == .readOnly ? "on" : "off"))
        }
    }

    @Test func `a connection left in a transaction is thrown away`() async throws {
        try await withPool(of: 1) { pool in
            _ = try await pool.withConnection { try await $0.execute("BEGIN") }
            _ = try await pool.withConnection { try await $0.execute("SELECT 1") }
            #expect(pool.statistics.opened == 2)
        }
    }

    @Test func `a connection can't be used after its lease`() async throws {
        try await withPool { pool in
            let escaped = try await pool.withConnection { $0 }
            let error = await #expect(throws: PostgresError.self) { try await escaped.execute("SELECT 1") }
            #expect(error?.kind == .misuse)
        }
    }

    @Test func `a caller that waits too long for a connection gets an error`() async throws {
        try await withPool(of: 1, acquireTimeout: .milliseconds(100)) { pool in
            try await pool.withConnection { _ in
                let error = await #expect(throws: PostgresError.self) { try await pool.checkHealth() }
                #expect(error?.kind == .acquireTimedOut)
            }
            try await pool.checkHealth()
        }
    }

    @Test func `background work that holds all it may delays no short read, whatever waits before it`() async throws {
        try await withPool(of: 4) { pool in
            try await LeaseClass.$current.withValue(.background) {
                try await pool.withConnection { _ in
                    let second = Task { try await pool.checkHealth() }
                    while pool.statistics.waiting == 0 { await Task.yield() }
                    try await pool.withConnection(for: .shortRead) { _ = try await $0.execute("SELECT 1") }
                    let background = pool.statistics.classes[LeaseClass.background.rawValue]
                    #expect(background.busy == 1 && background.waiting == 1 && background.share.maximum == 1)
                    second.cancel()
                    _ = await second.result
                }
            }
        }
    }

    @Test func `a caller that is cancelled while waiting leaves the queue`() async throws {
        try await withPool(of: 1) { pool in
            try await pool.withConnection { _ in
                let waiting = Task { try await pool.checkHealth() }
                while pool.statistics.waiting == 0 { await Task.yield() }
                waiting.cancel()
                let error = await #expect(throws: PostgresError.self) { try await waiting.value }
                #expect(error?.kind == .cancelled)
                #expect(pool.statistics.waiting == 0)
            }
            try await pool.checkHealth()
        }
    }

    @Test func `a lease's own time-out ends its statements, and the configuration's those of others`() async throws {
        try await withPool(of: 1) { pool in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withConnection(statementTimeout: .milliseconds(100)) { connection in
                    try await connection.execute("SELECT pg_sleep(5)")
                }
            }
            #expect(error?.kind == .statementTimedOut)
            try await pool.withConnection { _ = try await $0.execute("SELECT pg_sleep(0.3)") }
        }
    }

    @Test func `a cancelled caller doesn't begin to wait`() async throws {
        try await withPool(of: 1) { pool in
            try await pool.withConnection { _ in
                let waiting = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    try await pool.checkHealth()
                }
                let error = await #expect(throws: PostgresError.self) { try await waiting.value }
                #expect(error?.kind == .cancelled)
                #expect(pool.statistics.waiting == 0)
            }
        }
    }

    @Test func `a connection that the server closed meanwhile is not lent`() async throws {
        try await withPool(of: 2) { pool in
            try await pool.withConnection { first in
                let process = try await pool.withConnection { try await $0.backendPID }
                #expect(pool.statistics.idle == 1 && pool.statistics.opened == 2)
                _ = try await first.execute("SELECT pg_terminate_backend(\(process))")
                try await first.untilEnded(process)
                let lent = try await pool.withConnection { connection in
                    _ = try await connection.execute("SELECT 1")
                    return try await connection.backendPID
                }
                #expect(lent != process && pool.statistics.opened == 3)
            }
        }
    }

    @Test func `a connection that the server closed during its lease is not passed on`() async throws {
        try await withPool(of: 1) { pool in
            let other = Pool(pool.configuration)
            let (waiting, process) = try await pool.withConnection { connection in
                let process = try await connection.backendPID
                let waiting = Task { try await pool.withConnection { try await $0.backendPID } }
                try await eventually {
                    pool.statistics.waiting
                } until: {
                    $0 == 1
                }
                try await other.withConnection { killer in
                    _ = try await killer.execute("SELECT pg_terminate_backend(\(process))")
                    try await killer.untilEnded(process)
                }
                return (waiting, process)
            }
            #expect(try await waiting.value != process)
            #expect(pool.statistics.opened == 2)
            await other.close()
        }
    }

    @Test(.enabled(if: TestNodes.shared == nil, "for one server"))
    func `a connection is not lent once the server has said that it ends, though its process is slow to exit`()
        async throws
    {
        try await withTestDatabase { url in
            let socket = try LingeringSocket(before: url)
            defer { socket.close() }
            let pool = Pool(try PostgresConfiguration(socket.url))
            let process = try await pool.withConnection { try await $0.backendPID }
            let other = Pool(try PostgresConfiguration(url))
            try await other.withConnection { connection in
                _ = try await connection.execute("SELECT pg_terminate_backend(\(process))")
            }
            try await eventually("the server's last message has been passed on") { socket.isEnded }
            try await pool.checkHealth()
            #expect(pool.statistics.opened == 2)
            await pool.close()
            await other.close()
        }
    }

    @Test(arguments: [true, false])
    func `a connection that is too old is replaced when it comes back`(isOld: Bool) async throws {
        try await withTestDatabase { url in
            var options = Pool.Options()
            options.maximumAge = isOld ? .zero : .seconds(3600)
            let pool = Pool(try PostgresConfiguration(url), options: options)
            let first = try await pool.withConnection { try await $0.backendPID }
            let second = try await pool.withConnection { try await $0.backendPID }
            #expect((first == second) == !isOld && pool.statistics.opened == (isOld ? 2 : 1))
            await pool.close()
        }
    }

    @Test func `closing waits for leases, and lends no more`() async throws {
        try await withTestDatabase { url in
            let pool = Pool(try PostgresConfiguration(url))
            let lease = Task { try await pool.withConnection { try await $0.execute("SELECT pg_sleep(0.3), 7") } }
            while pool.statistics.opened == 0 { await Task.yield() }
            await pool.close()
            #expect(pool.statistics.busy == 0)
            #expect(try await lease.value[0].decode(Int.self, at: 1) == 7)
            let error = await #expect(throws: PostgresError.self) { try await pool.checkHealth() }
            #expect(error?.kind == .closed)
        }
    }

    @Test func `a database that doesn't exist is told at once, not after the time-out`() async throws {
        try await withTestDatabase { url in
            var options = Pool.Options()
            options.acquireTimeout = .seconds(3600)
            let pool = Pool(try PostgresConfiguration(url.replacing("/test_", with: "/nope_")), options: options)
            let error = await #expect(throws: PostgresError.self) { try await pool.checkHealth() }
            #expect(error?.sqlState == .invalidCatalogName)
        }
    }
}
