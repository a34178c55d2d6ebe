import Testing
import TrolleyTestSupport

@testable import TrolleyPostgres

@Suite("Settings of a connection", .timeLimit(.minutes(20))) struct SettingsTests {
    private func shown(_ names: [String], _ connection: Connection) async throws -> [String] {
        try await connection.execute(
            "SELECT current_setting(name) FROM unnest(\(names)::text[]) WITH ORDINALITY AS n (name, i) ORDER BY i"
        ).map { try $0.decode(String.self, at: 0) }
    }

    @Test("a setting that the server refuses is left out, and the others hold")
    func refused() async throws {
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration.patient(url)
            configuration.sessionSettings = ["lock_timeout": "7s"]
            configuration.optionalSettings = [
                "client_connection_check_interval": "-5", "no_such_setting": "1", "tcp_keepalives_idle": "10",
                "idle_session_timeout": "11min",
            ]
            let connection = try await Connection.connect(configuration)
            #expect(try await shown(["lock_timeout", "idle_session_timeout"], connection) == ["7s", "11min"])
        }
    }

    @Test("where others share the connection, only transactions state settings")
    func shared() async throws {
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration.patient(url)
            configuration.preparesStatements = false
            configuration.sessionSettings = ["lock_timeout": "7s"]
            configuration.optionalSettings = ["idle_session_timeout": "11min"]
            configuration.transactionSettings = ["lock_timeout": "9s", "idle_in_transaction_session_timeout": "8s"]
            let pool = Pool(configuration)
            let names = ["lock_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout"]
            #expect(try await pool.withConnection { try await shown(names, $0) } == ["0", "0", "0"])
            let before = pool.statistics.roundTrips
            let (answer, within) = try await pool.withTransaction(opening: ["SELECT 7::bigint"]) { connection, rows in
                ((try rows[0][0].decode(Int64.self, at: 0), try await shown(names, connection)), [])
            }
            #expect(answer == 7 && within == ["9s", "0", "8s"])
            #expect(pool.statistics.roundTrips == before + 3)
            await pool.close()
        }
    }
}
