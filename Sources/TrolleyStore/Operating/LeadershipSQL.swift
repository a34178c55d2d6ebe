package import TrolleyJournal
import TrolleyPostgres

/// SQL about which process leads the background work.
enum LeadershipSQL {
    // An update that finds nothing locks nothing, so those that don't lead cost next to nothing.
    static let lead = Statement(
        name: "leadership_lead",
        sql: """
            UPDATE leadership
            SET process_id = $1, until = now() + $2::bigint * interval '1 millisecond'
            WHERE process_id = $1 OR until <= now()
            RETURNING true
            """)

    static let resign = Statement(
        name: "leadership_resign", sql: "UPDATE leadership SET until = '-infinity' WHERE process_id = $1")

    static let all = [lead, resign]
}

extension Store {
    /// Makes a process the leader, or keeps it the leader, for `lease` milliseconds. One process at a time leads.
    /// - Returns: false while another process leads.
    package func lead(_ process: UUIDBits, lease: Int64) async throws(StoreError) -> Bool {
        try await !execute(LeadershipSQL.lead, [PostgresUUID(high: process.high, low: process.low), lease]).isEmpty
    }

    /// Lets another process lead at once.
    package func resign(_ process: UUIDBits) async throws(StoreError) {
        try await execute(LeadershipSQL.resign, [PostgresUUID(high: process.high, low: process.low)])
    }
}
