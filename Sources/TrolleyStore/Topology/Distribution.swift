package import TrolleyPostgres

/// Distributes the lists' tables over a Citus cluster by `list_id`. Does nothing where the extension isn't installed.
/// Every migration ends with it.
///
/// All rows of a list are on one node, so every operation on a list runs there. All other tables are on every node:
/// accounts and devices are read by nearly every statement and rarely written. Hosted devices' queues and what is pushed stay
/// on the coordinator.
package struct Distribution: Sendable {
    let pool: Pool

    package init(pool: Pool) { self.pool = pool }

    /// The tables that are distributed by list, starting with `list`, since others refer to it. Hosted devices' queues
    /// name lists but belong to devices, and stay where the devices are.
    static let distributedTables = """
        SELECT relname::text
        FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            AND relname NOT LIKE 'hosted\\_%' AND relname NOT LIKE 'push\\_%'
            AND (relname = 'list'
                OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'list_id'))
        ORDER BY relname <> 'list', relname
        """

    /// The tables that are copied to every node, referenced tables first. The migrator's own table stays on the
    /// coordinator, and so does the one that says who leads: it is written by the second, also while a node is away.
    static let referenceTables = """
        SELECT relname::text
        FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('migration', 'leadership')
            AND relname NOT LIKE 'hosted\\_%' AND relname NOT LIKE 'push\\_%'
            AND NOT relispartition AND relname <> 'list'
            AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'list_id')
        ORDER BY (SELECT count(*) FROM pg_constraint WHERE conrelid = pg_class.oid AND contype = 'f'), relname
        """

    private static let isInstalled = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')"

    /// Distributes the tables that are not distributed yet, all or nothing. Safe to repeat.
    /// - Returns: the tables that this call distributed.
    @discardableResult
    package func distribute() async throws -> [String] {
        while true {
            if let done = try await distributeUnlessMigrating() { return done }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// - Returns: nil while another process migrates.
    private func distributeUnlessMigrating() async throws -> [String]? {
        try await pool.withTransaction(statementTimeout: .unlimited) { connection in
            let installed = try await connection.execute(Query(unescaped: Self.isInstalled))
            guard try installed[0].decode(Bool.self, at: 0) else { return [] }
            for command in MigrationSQL.migrationSettings() { try await connection.run(script: command) }
            guard try await connection.execute(MigrationSQL.tryLock)[0].decode(Bool.self, at: 0) else { return nil }
            let known = Set(try await connection.names("SELECT logicalrelid::regclass::text FROM pg_dist_partition"))
            var done: [String] = []
            for table in try await connection.names(Self.referenceTables) where !known.contains(table) {
                try await connection.execute("SELECT create_reference_table(\(table)::text::regclass)::text")
                done.append(table)
            }
            for table in try await connection.names(Self.distributedTables) where !known.contains(table) {
                if table == "list" {
                    try await connection.execute("SELECT create_distributed_table('list', 'id')::text")
                } else {
                    try await connection.execute(
                        "SELECT create_distributed_table(\(table)::text::regclass, 'list_id', colocate_with => 'list')::text"
                    )
                }
                done.append(table)
            }
            return done
        }
    }
}

extension Connection {
    fileprivate func names(_ sql: String) async throws -> [String] {
        try await execute(Query(unescaped: sql)).map { try $0.decode(String.self, at: 0) }
    }
}
