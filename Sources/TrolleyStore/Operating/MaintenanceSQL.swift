package import TrolleyJournal
import TrolleyPostgres

/// SQL about runs of compression and backup.
enum MaintenanceSQL {
    static let note = Statement(
        name: "maintenance_note",
        sql: """
            INSERT INTO maintenance_run (task, milliseconds, lists, failed, entries, bytes)
            VALUES ($1, $2, $3, $4, $5, $6)
            ON CONFLICT (task, ended_at) DO NOTHING
            """)

    /// Forgets all but the newest ten runs of a task.
    static let forget = Statement(
        name: "maintenance_forget",
        sql: """
            DELETE FROM maintenance_run
            WHERE task = $1 AND ended_at < (
                SELECT min(ended_at)
                FROM (
                    SELECT ended_at FROM maintenance_run WHERE task = $1 ORDER BY ended_at DESC LIMIT 10
                ) AS kept)
            """)

    static let newest = Statement(
        name: "maintenance_newest",
        sql: """
            SELECT task, ended_at, milliseconds, lists, failed, entries, bytes
            FROM maintenance_run
            ORDER BY ended_at DESC, task
            LIMIT 20
            """)

    static let all = [note, forget, newest]
}

/// A run of compression or backup.
package struct MaintenanceRun: Hashable, Sendable, Encodable {
    package enum Task: String, Sendable, Encodable {
        case compression, backup
    }

    package let task: Task
    /// By the database's clock.
    package let endedAt: Timestamp
    package let milliseconds: Int64
    /// The lists that a compression examined.
    package let lists: Int64?
    /// The lists that it could not compress.
    package let failed: Int64?
    /// The entries that it removed from journals.
    package let entries: Int64?
    /// The size of a backup's file.
    package let bytes: Int64?
}

/// The result of a run, for ``Store/note(_:took:)``.
package enum MaintenanceResult: Sendable {
    case compressed(lists: Int, failed: Int, entries: Int)
    case backedUp(bytes: Int64)
}

extension Store {
    /// Records a run that has just ended. The newest ten of each task are kept.
    package func note(_ result: MaintenanceResult, took time: Duration) async throws(StoreError) {
        let task: MaintenanceRun.Task
        var (lists, failed, entries, bytes): (Int64?, Int64?, Int64?, Int64?) = (nil, nil, nil, nil)
        switch result {
        case .compressed(let compressed, let notCompressed, let removed):
            task = .compression
            (lists, failed, entries) = (Int64(compressed), Int64(notCompressed), Int64(removed))
        case .backedUp(let size):
            task = .backup
            bytes = size
        }
        try await execute(
            MaintenanceSQL.note, [task.rawValue, Int64(time / .milliseconds(1)), lists, failed, entries, bytes])
        try await execute(MaintenanceSQL.forget, [task.rawValue])
    }

    /// The runs that are recorded, the newest first. Leaves out tasks of a later version.
    package func maintenanceRuns() async throws(StoreError) -> [MaintenanceRun] {
        try await all(MaintenanceSQL.newest, []) { (row) throws(PostgresError) -> MaintenanceRun? in
            let (name, endedAt, milliseconds) = try row.decode((String, Timestamp, Int64).self)
            guard let task = MaintenanceRun.Task(rawValue: name) else { return nil }
            return MaintenanceRun(
                task: task, endedAt: endedAt, milliseconds: milliseconds, lists: try row.decode(at: 3),
                failed: try row.decode(at: 4), entries: try row.decode(at: 5), bytes: try row.decode(at: 6))
        }.compactMap(\.self)
    }
}
