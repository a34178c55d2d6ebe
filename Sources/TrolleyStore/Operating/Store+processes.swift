package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// SQL about the processes of the service.
enum ProcessSQL {
    static let note = Statement(
        name: "process_note",
        sql: """
            INSERT INTO process (id, version, host, pid, settings, started_at, seen_at)
            VALUES ($1, $2, $3, $4, $5, now(), now())
            ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at
            """)

    // Processes that were killed leave their rows.
    static let forget = Statement(
        name: "process_forget",
        sql: "DELETE FROM process WHERE id = $1 OR seen_at < now() - interval '1 day'")

    /// The processes that were here within three minutes, the newest first.
    static let running = Statement(
        name: "process_running",
        sql: """
            SELECT version, host, pid, settings::text, started_at, seen_at
            FROM process
            WHERE seen_at > now() - interval '3 minutes'
            ORDER BY started_at DESC, id
            """)

    static let all = [note, forget, running]
}

/// A process of the service that runs.
package struct ServiceProcess: Sendable {
    let id: UUIDBits
    let version: String
    let host: String
    let pid: Int
    /// The settings that were given, by name, without secrets.
    let settings: [String: String]

    package init(id: UUIDBits, version: String, host: String, pid: Int, settings: [String: String]) {
        self.id = id
        self.version = version
        self.host = host
        self.pid = pid
        self.settings = settings
    }
}

extension Store {
    /// Records that a process runs. Diagnostics show it for three minutes.
    package func note(_ process: ServiceProcess) async throws(StoreError) {
        try await execute(
            ProcessSQL.note,
            [
                PostgresUUID(high: process.id.high, low: process.id.low), process.version, process.host,
                Int64(process.pid), PostgresJSON(try columnJSON(process.settings)),
            ])
    }

    /// Records that a process has ended.
    package func forget(_ process: ServiceProcess) async throws(StoreError) {
        try await execute(ProcessSQL.forget, [PostgresUUID(high: process.id.high, low: process.id.low)])
    }

    func runningProcesses() async throws(StoreError) -> [ServiceDiagnostics.Operation.Process] {
        try await all(ProcessSQL.running, []) { row throws(PostgresError) in
            let (version, host, pid, startedAt, seenAt) = try (
                row.decode(String.self, at: 0), row.decode(String.self, at: 1), row.decode(Int64.self, at: 2),
                row.decode(Timestamp.self, at: 4), row.decode(Timestamp.self, at: 5)
            )
            return ServiceDiagnostics.Operation.Process(
                host: host, pid: pid, seenAt: seenAt, settings: try row.json(at: 3) ?? [:], startedAt: startedAt,
                version: version)
        }
    }
}
