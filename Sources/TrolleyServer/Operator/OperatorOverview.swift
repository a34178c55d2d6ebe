import TrolleyJournal
import TrolleyStore
import TrolleyWire

/// What the operator's page shows: how the service does, without anybody's words, names or addresses.
struct OperatorOverview: Encodable {
    /// Requests of the last hour at the process that answers.
    struct Requests: Encodable {
        let minutes: [RequestHistory.Minute]
        /// Open connections of clients at this process.
        let connections: Int
    }

    struct Process: Encodable {
        let host: String
        let pid: Int64
        let version: String
        let startedAt: Timestamp
    }

    /// By the database's clock.
    let at: Timestamp
    let versions: ServiceDiagnostics.Versions
    /// The migrations that wait, by number and name.
    let migrationsWaiting: [String]
    /// The lines of `trolleyd doctor` that concern the database and its service.
    let findings: [Finding]
    let totals: ServiceDiagnostics.Operation.Totals
    let processes: [Process]
    /// The largest lists.
    let lists: [ListSize]
    /// Notices for push services and webhooks that could not be delivered, the newest first.
    let deadLetters: [DeadLetter]
    /// The last runs of compression and backup, the newest first.
    let runs: [MaintenanceRun]
    var requests: Requests
}
