import Testing
import TrolleyPostgres
import TrolleyTestSupport

@Suite(.timeLimit(.minutes(20))) struct ConnectionTests {
    private let sleep: Query = "SELECT pg_sleep(3600)"

    @Test func `a statement is prepared once`() async throws {
        try await withTestConnection { connection in
            let statement = Statement(name: "double", sql: "SELECT $1::int8 * 2")
            for number in 0..<5 {
                let rows = try await connection.execute(statement, [number])
                #expect(try rows[0].decode(Int.self, at: 0) == number * 2)
            }
            let rows = try await connection.execute("SELECT name FROM pg_prepared_statements")
            #expect(rows.count == 1)
            #expect(try rows[0].decode(String.self, at: 0) == "1_double")
        }
    }

    @Test func `a statement goes on after a migration has changed its columns`() async throws {
        try await withTestConnection { connection in
            let statement = Statement(name: "all", sql: "SELECT * FROM thing")
            try await connection.run(script: "CREATE TABLE thing (a int); INSERT INTO thing VALUES (1)")
            _ = try await connection.execute(statement)
            try await connection.run(script: "ALTER TABLE thing ADD b int")
            // The server reports it once, then the statement is prepared again.
            let error = await #expect(throws: PostgresError.self) { try await connection.execute(statement) }
            #expect(error?.sqlState == .featureNotSupported)
            #expect(try await connection.execute(statement).columns == ["a", "b"])
        }
    }

    @Test func `an error keeps what the server said`() async throws {
        try await withTestConnection { connection in
            try await connection.run(script: "CREATE TABLE thing (a int CONSTRAINT only_one UNIQUE)")
            let insert = Statement(name: "insert thing", sql: "INSERT INTO thing VALUES ($1)")
            _ = try await connection.execute(insert, [Int32(1)])
            let error = await #expect(throws: PostgresError.self) { try await connection.execute(insert, [Int32(1)]) }
            #expect(error?.kind == .server)
            #expect(error?.sqlState == .uniqueViolation)
            #expect(error?.constraint == "only_one")
            #expect(error?.table == "thing")
            #expect(error?.statement == "insert thing")
            #expect(error?.detail?.contains("(a)=(1)") == true)
        }
    }

    @Test func `a pipeline answers each of its queries`() async throws {
        try await withTestConnection { connection in
            try await connection.run(script: "CREATE TABLE thing (a int8)")
            let insert = Statement(name: "insert", sql: "INSERT INTO thing SELECT unnest($1::int8[])")
            let answers = try await connection.pipeline([
                .begin, .execute(insert, [[1, 2, 3]]), .execute(insert, [[4]]), "SELECT sum(a)::int8 FROM thing",
                .commit,
            ])
            #expect(answers.map(\.affectedRows) == [0, 3, 1, 1, 0])
            #expect(try answers[3][0].decode(Int.self, at: 0) == 10)
        }
    }

    @Test func `a pipeline that fails says where, and leaves nothing behind`() async throws {
        try await withTestConnection { connection in
            try await connection.run(script: "CREATE TABLE thing (a int8)")
            for queries: [Query] in [
                ["INSERT INTO thing VALUES (1)", "SELECT 1", "SELECT 1/0", "INSERT INTO thing VALUES (2)"],
                [.begin, "INSERT INTO thing VALUES (1)", "SELECT 1/0", .commit],
                ["INSERT INTO thing VALUES (1)", "SELECT 1", Query(Statement(name: "wrong", sql: "SELEC 1"))],
            ] {
                let error = await #expect(throws: PostgresError.self) { try await connection.pipeline(queries) }
                #expect(error?.pipelineIndex == 2)
                let rows = try await connection.execute("SELECT count(*) FROM thing")
                #expect(try rows[0].decode(Int.self, at: 0) == 0)
            }
        }
    }

    @Test func `a pipeline larger than all buffers, in both directions, comes through`() async throws {
        try await withTestConnection { connection in
            let echo = Statement(name: "echo", sql: "SELECT $1::text")
            let text = String(repeating: "0123456789", count: 100_000)
            let answers = try await connection.pipeline(Array(repeating: .execute(echo, [text]), count: 40))
            #expect(answers.count == 40)
            for rows in answers { #expect(try rows[0].decode(String.self, at: 0) == text) }
        }
    }

    @Test func `a script is all or nothing`() async throws {
        try await withTestConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.run(script: "CREATE TABLE thing (a int); SELECT 1/0; SELECT 2")
            }
            #expect(error?.sqlState == SQLState(rawValue: "22012"))
            try await connection.run(script: "CREATE TABLE thing (a int); SELECT 1;")
        }
    }

    @Test func `describing tells the types without running`() async throws {
        try await withTestConnection { connection in
            try await connection.run(script: "CREATE TABLE thing (a uuid, b text)")
            let description = try await connection.describe("INSERT INTO thing VALUES ($1, $2) RETURNING a AS id")
            #expect(description.parameterTypes == [PostgresType.uuid.oid, PostgresType.text.oid])
            #expect(description.columns.map(\.name) == ["id"])
            let rows = try await connection.execute("SELECT count(*) FROM thing")
            #expect(try rows[0].decode(Int.self, at: 0) == 0)
            let error = await #expect(throws: PostgresError.self) {
                try await connection.prepare("SELECT nope FROM thing")
            }
            #expect(error?.sqlState == .undefinedColumn)
        }
    }

    @Test func `a statement that takes too long is cancelled on the server`() async throws {
        try await withTestConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute(sleep, timeout: .milliseconds(50))
            }
            #expect(error?.kind == .statementTimedOut)
            #expect(error?.sqlState == .queryCanceled)
            _ = try await connection.execute("SELECT 1")
        }
    }

    @Test func `a cancelled task cancels its statement on the server`() async throws {
        try await withTestDatabase { url in
            let connection = try await Connection.connect(PostgresConfiguration(url))
            let observer = try await Connection.connect(PostgresConfiguration(url))
            let running = Task { try await connection.execute(sleep) }
            try await observer.untilSomebodyExecutes("pg_sleep(3600)")
            running.cancel()
            let error = await #expect(throws: PostgresError.self) { try await running.value }
            #expect(error?.kind == .cancelled)
            // The cancellation does not affect later statements.
            for _ in 0..<100 { _ = try await connection.execute("SELECT 1") }
        }
    }

    @Test func `in a task that is cancelled already nothing is sent`() async throws {
        try await withTestConnection { connection in
            try await connection.run(script: "CREATE TABLE thing (a int)")
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await connection.execute("INSERT INTO thing VALUES (1)")
            }
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            let rows = try await connection.execute("SELECT count(*) FROM thing")
            #expect(try rows[0].decode(Int.self, at: 0) == 0)
        }
    }

    @Test func `a connection has its configuration's settings, whatever the server's are`() async throws {
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration(url)
            configuration.sessionSettings = ["jit": "off", "work_mem": "7MB"]
            func settings() async throws -> [String] {
                let rows = try await Connection.connect(configuration).execute(
                    "SELECT current_setting('jit'), current_setting('work_mem')")
                return [try rows[0].decode(String.self, at: 0), try rows[0].decode(String.self, at: 1)]
            }
            #expect(try await settings() == ["off", "7MB"])
            // A pooler lends its connections to other clients, too.
            configuration.preparesStatements = false
            #expect(try await settings() == ["on", "4MB"])
        }
    }

    @Test func `a second statement at the same time is refused`() async throws {
        try await withTestDatabase { url in
            let configuration = try PostgresConfiguration(url)
            let connection = try await Connection.connect(configuration)
            let observer = try await Connection.connect(configuration)
            let process = try await connection.backendPID
            let running = Task { try await connection.execute(sleep) }
            while try await observer.execute(
                "SELECT 1 FROM pg_stat_activity WHERE pid = \(process) AND wait_event = 'PgSleep'"
            ).isEmpty {}
            let error = await #expect(throws: PostgresError.self) { try await connection.execute("SELECT 1") }
            #expect(error?.kind == .misuse)
            running.cancel()
            await #expect(throws: PostgresError.self) { try await running.value }
        }
    }

    @Test func `COPY is refused, and the connection given up`() async throws {
        try await withTestConnection { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("COPY pg_class TO STDOUT")
            }
            #expect(error?.kind == .connectionLost)
        }
    }

    @Test func `a connection killed by the server is lost, with the SQLSTATE`() async throws {
        try await withTestDatabase { url in
            let configuration = try PostgresConfiguration(url)
            let (victim, killer) = (
                try await Connection.connect(configuration), try await Connection.connect(configuration)
            )
            let process = try await victim.backendPID
            let running = Task { try await victim.execute(sleep) }
            try await killer.untilSomebodyExecutes("pg_sleep(3600)")
            _ = try await killer.execute("SELECT pg_terminate_backend(\(process))")
            let error = await #expect(throws: PostgresError.self) { try await running.value }
            #expect(error?.kind == .connectionLost)
            #expect(error?.sqlState == .adminShutdown)
            let again = await #expect(throws: PostgresError.self) { try await victim.execute("SELECT 1") }
            #expect(again?.kind == .connectionLost)
        }
    }

    @Test(
        arguments: [
            ("postgresql://nobody@/nowhere?host=%2Fnonexistent", nil),
            ("postgresql://nobody@localhost:1/nowhere", nil),
        ] as [(String, SQLState?)])
    func `no server, no connection`(_ url: String, _ sqlState: SQLState?) async throws {
        let configuration = try PostgresConfiguration(url)
        let error = await #expect(throws: PostgresError.self) { try await Connection.connect(configuration) }
        #expect(error?.kind == .connectionFailed)
    }

    @Test func `a database that doesn't exist is refused with its SQLSTATE`() async throws {
        try await withTestDatabase { url in
            let configuration = try PostgresConfiguration(url.replacing("/test_", with: "/nope_"))
            let error = await #expect(throws: PostgresError.self) { try await Connection.connect(configuration) }
            #expect(error?.kind == .connectionFailed)
            #expect(error?.sqlState == .invalidCatalogName)
        }
    }
}
