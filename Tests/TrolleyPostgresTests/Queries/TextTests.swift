import Testing

@testable import TrolleyPostgres

/// Parsing and writing text, without a server.
@Suite(.timeLimit(.minutes(20))) struct TextTests {
    @Test func `interpolated values become binds`() {
        let name: String? = nil
        let query: Query =
            "SELECT \(1) FROM \(unescaped: "list") WHERE name = \(name) AND id = \(PostgresUUID(high: 1, low: 2))"
        #expect(query.sql == "SELECT $1 FROM list WHERE name = $2 AND id = $3")
        #expect(query.binds.map(\.isPostgresNull) == [false, true, false])
    }

    @Test func `the SQLSTATE is taken out of a refusal`() {
        let (message, sqlState) = PostgresSession.readRefusal(
            "connection to server at \"x\" failed: FATAL:  3D000: database \"nope\" does not exist\nLOCATION:  a, b.c:8\n"
        )
        #expect(sqlState == .invalidCatalogName)
        #expect(message == "connection to server at \"x\" failed: FATAL: database \"nope\" does not exist")
    }

    @Test func `a refusal without a SQLSTATE stays as it is`() {
        let text = "connection to server on socket \"/a/.s.PGSQL.5432\" failed: No such file or directory"
        let (message, sqlState) = PostgresSession.readRefusal(text)
        #expect(sqlState == nil)
        #expect(message == text)
    }

    @Test func `libpq's hint follows a refusal without its tab`() {
        let (message, _) = PostgresSession.readRefusal(
            "connection to server at \"x\" failed: Connection refused\n\tIs the server running on that host?\n")
        #expect(
            message == "connection to server at \"x\" failed: Connection refused; Is the server running on that host?")
    }

    @Test func `an error's description quotes no data`() {
        var error = PostgresError(
            .server, "invalid input syntax for type uuid: \"secret\"", sqlState: SQLState(rawValue: "22P02"))
        error.detail = "Key (email)=(secret) already exists."
        error.constraint = "account_email_key"
        #expect(!"\(error)".contains("secret"))
        #expect("\(error)".contains("account_email_key"))
    }

    @Test func `a connection string that can't be read is not quoted`() throws {
        let error = #expect(throws: PostgresError.self) { _ = try PostgresConfiguration("password='secret") }
        #expect(error?.kind == .configuration)
        #expect(!"\(try #require(error))".contains("secret"))
    }

    @Test(arguments: [
        "postgresql://me:secret@db.example:5433/trolley", "host=db.example port=5433 dbname=trolley password=secret",
    ])
    func `a location names no password`(_ text: String) throws {
        #expect(try PostgresConfiguration(text).location == "db.example port 5433 database trolley")
    }

    @Test func `a socket's path is percent-decoded`() throws {
        let configuration = try PostgresConfiguration("postgresql://me@/trolley?host=%2Frun%2Fa%20b")
        #expect(configuration.location == "/run/a b port 5432 database trolley")
    }

    @Test func `backoff doubles up to its longest, with full jitter`() {
        var backoff = Backoff(first: .milliseconds(100), longest: .milliseconds(300))
        #expect(backoff.next(random: 1) == .milliseconds(100))
        #expect(backoff.next(random: 1) == .milliseconds(200))
        #expect(backoff.next(random: 0.5) == .milliseconds(150))
        for _ in 0..<100 { _ = backoff.next(random: 1) }
        #expect(backoff.next(random: 0) == .zero)
        backoff.reset()
        #expect(backoff.next(random: 1) == .milliseconds(100))
    }
}
