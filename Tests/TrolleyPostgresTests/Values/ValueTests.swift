import Testing
import TrolleyPostgres
import TrolleyTestSupport

@Suite(.timeLimit(.minutes(20))) struct ValueTests {
    private func roundTrip<V: PostgresEncodable & PostgresDecodable & Equatable>(
        _ value: V, on connection: Connection
    ) async throws {
        let rows = try await connection.execute("SELECT \(value)")
        #expect(try rows[0].decode(V.self, at: 0) == value)
    }

    @Test func `values come back as they went`() async throws {
        try await withTestConnection { connection in
            try await roundTrip(true, on: connection)
            try await roundTrip(false, on: connection)
            try await roundTrip(Int16.min, on: connection)
            try await roundTrip(Int32.max, on: connection)
            try await roundTrip(Int64.min, on: connection)
            try await roundTrip(Int.max, on: connection)
            try await roundTrip(-0.1, on: connection)
            try await roundTrip("Crème 🧀", on: connection)
            try await roundTrip("", on: connection)
            try await roundTrip([0, 255, 10] as [UInt8], on: connection)
            try await roundTrip([] as [UInt8], on: connection)
            try await roundTrip(PostgresUUID(high: .max, low: 1), on: connection)
            try await roundTrip(PostgresTimestamp(microsecondsSince1970: -1), on: connection)
            try await roundTrip(String?.none, on: connection)
            try await roundTrip(Int64?.some(7), on: connection)
        }
    }

    @Test func `arrays come back as they went, NULLs included`() async throws {
        try await withTestConnection { connection in
            try await roundTrip([1, 2, 3] as [Int64], on: connection)
            try await roundTrip([] as [Int64], on: connection)
            try await roundTrip([true, nil] as [Bool?], on: connection)
            try await roundTrip(["a", nil, ""] as [String?], on: connection)
            try await roundTrip([nil, PostgresUUID(high: 1, low: 2)] as [PostgresUUID?], on: connection)
            try await roundTrip([[1, 2], [], [3]] as [[UInt8]], on: connection)
            try await roundTrip([nil, [1]] as [[UInt8]?], on: connection)
            try await roundTrip([PostgresTimestamp(microsecondsSince1970: 5)], on: connection)
            try await roundTrip([Int16(1), nil] as [Int16?], on: connection)
            try await roundTrip([Double.infinity], on: connection)
            try await roundTrip([Int]?.none, on: connection)
        }
    }

    @Test func `a moment is the same one on the server`() async throws {
        try await withTestConnection { connection in
            let moment = PostgresTimestamp(microsecondsSince1970: 1_700_000_000_123_456)
            let rows = try await connection.execute("SELECT (extract(epoch FROM \(moment)) * 1000000)::int8::text")
            #expect(try rows[0].decode(String.self, at: 0) == "1700000000123456")
        }
    }

    @Test func `both kinds of JSON are read as text`() async throws {
        try await withTestConnection { connection in
            let rows = try await connection.execute(
                "SELECT \(PostgresJSON("{\"b\" :1}")), \(PostgresJSONB("{\"b\" :1}")), jsonb_typeof(\(PostgresJSONB("[]")))"
            )
            #expect(try rows[0].decode((String, String, String).self) == ("{\"b\" :1}", "{\"b\": 1}", "array"))
        }
    }

    @Test func `text format binds let the server infer the type, and text results read any type`() async throws {
        try await withTestConnection { connection in
            var query: Query = "SELECT '1 day'::interval + \(PostgresText("02:00")), 1.50::numeric, 7"
            query.resultFormat = .text
            let rows = try await connection.execute(query)
            #expect(try rows[0].decode((String, String, Int).self) == ("1 day 02:00:00", "1.50", 7))
        }
    }

    @Test func `integers are read at any width that fits`() async throws {
        try await withTestConnection { connection in
            let rows = try await connection.execute("SELECT 1::int2, 2::int4, 3::int8, 70000::int4")
            let (small, medium, large) = try rows[0].decode((Int, Int64, Int32).self)
            #expect([small, Int(medium), Int(large)] == [1, 2, 3])
            let error = #expect(throws: PostgresError.self) { try rows[0].decode(Int16.self, at: 3) }
            #expect(error?.kind == .decoding)
        }
    }

    @Test func `a column that holds something else is an error that names it and not its value`() async throws {
        try await withTestConnection { connection in
            let rows = try await connection.execute("SELECT 'secret' AS note, NULL::int8 AS head")
            for attempt in [
                { _ = try rows[0].decode(Int.self, at: 0) }, { _ = try rows[0].decode(Int.self, at: 1) },
                { _ = try rows[0].decode([String].self, at: 0) }, { _ = try rows[0].decode(Int.self, at: 2) },
            ] {
                let error = #expect(throws: PostgresError.self) { try attempt() }
                #expect(error?.kind == .decoding)
                #expect(error?.message.contains("secret") == false)
            }
        }
    }

    @Test func `the bytes of a value can be read where they are`() async throws {
        try await withTestConnection { connection in
            let rows = try await connection.execute("SELECT 'abc', NULL")
            #expect(rows[0].withBytes(at: 0) { $0.map(Array.init) } == Array("abc".utf8))
            #expect(rows[0].withBytes(at: 1) { $0 == nil })
        }
    }

    @Test func `text with a NUL is refused by the server, and the connection goes on`() async throws {
        try await withTestConnection { connection in
            let error = await #expect(throws: PostgresError.self) { try await connection.execute("SELECT \("a\0b")") }
            #expect(error?.sqlState == SQLState(rawValue: "22021"))
            _ = try await connection.execute("SELECT 1")
        }
    }
}

/// A connection to a database of the test's own.
nonisolated(nonsending) func withTestConnection<R>(_ body: (Connection) async throws -> R) async throws -> R {
    try await withTestDatabase { url in
        try await body(try await Connection.connect(PostgresConfiguration(url)))
    }
}
