package import TrolleyJournal
package import TrolleyMigrations
package import TrolleyPostgres

/// Checks whether a database is fit for the service: reachable, up to date, safe, and with free space. Changes nothing.
package struct Doctor: Sendable {
    let pool: Pool
    let listening: PostgresConfiguration
    let compressionAge: Int64
    let migrations: [Migration]
    let clock: @Sendable () -> Timestamp
    let hintTimeout: Duration

    /// - Parameters:
    ///   - listening: the database on which the service listens for signals; nil: the pool's own.
    ///   - compressionAge: milliseconds after which entries are compressed.
    ///   - clock: returns this machine's time.
    ///   - hintTimeout: how long a notification may take.
    package init(
        pool: Pool, listening: PostgresConfiguration? = nil, compressionAge: Int64,
        migrations: [Migration] = Migrations.all, clock: @escaping @Sendable () -> Timestamp,
        hintTimeout: Duration = .seconds(5)
    ) {
        self.pool = pool
        self.listening = listening ?? pool.configuration
        self.compressionAge = compressionAge
        self.migrations = migrations
        self.clock = clock
        self.hintTimeout = hintTimeout
    }

    /// Returns one finding for each check. A check that lacks a right says so.
    package func examine() async -> [Finding] {
        let connection: Connection
        do throws(PostgresError) {
            // Not from the pool, which would retry for as long as a service does.
            connection = try await Connection.connect(pool.configuration)
            let version = try await connection.serverVersion
            var findings = [reached(version: version)]
            guard findings.verdict != .failed else { return findings }
            findings += await examine(connection)
            return findings
        } catch {
            return [
                .failed(
                    "connection", "\(pool.configuration.location): \(error.message)",
                    "Check that PostgreSQL runs there, that the name and password are right, and that it lets this machine in."
                )
            ]
        }
    }

    private func reached(version: Int) -> Finding {
        let text = "\(pool.configuration.location), PostgreSQL \(version / 10_000).\(version % 10_000)"
        guard version >= 150_000 else {
            return .failed("connection", text, "Trolley needs PostgreSQL 15 or newer: upgrade it with pg_upgrade.")
        }
        return .ok("connection", text)
    }

    private func examine(_ connection: Connection) async -> [Finding] {
        var findings: [Finding] = []
        func note(_ check: String, _ look: () async throws -> [Finding]) async {
            do {
                findings += try await look()
            } catch {
                let reason = (error as? PostgresError)?.description ?? "\(error)"
                findings.append(
                    .failed(check, reason, "See the server's log, and the rights of the role that trolleyd uses."))
            }
        }
        await note("server") { try await server(connection) }
        await note("schema") { try await [schema()] }
        await note("settings") { try await settings(connection) }
        await note("frozen") { try await [frozen(connection)] }
        await note("vacuum") { try await [deadRows(connection)] }
        await note("connections") { try await [connections(connection)] }
        await note("hints") { await [hints()] }
        if !findings.contains(where: { $0.check == "schema" && $0.verdict == .failed }) {
            await note("compression") { try await [backlog(connection)] }
            await note("backfills") { try await backfills(connection) }
            await note("epoch") { try await [epoch(connection)] }
            await note("nodes") { try await nodes(connection) }
            await note("proxy") { try await [proxy(connection)] }
            await note("sockets") { try await [sockets(connection)] }
            await note("delivery") { try await delivery(connection) }
            await note("outbox") { try await outbox(connection) }
        }
        return findings
    }
}
