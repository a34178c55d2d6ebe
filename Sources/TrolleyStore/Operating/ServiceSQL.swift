public import TrolleyPostgres

/// SQL about the service itself.
enum ServiceSQL {
    static let tokenKey = Statement(name: "service_token_key", sql: "SELECT token_key FROM service")

    /// Whether this server takes changes: a standby doesn't, and anybody may have made the database read-only.
    static let isReadOnly = Statement(
        name: "service_is_read_only", sql: "SELECT current_setting('transaction_read_only')::boolean")

    static let all = [tokenKey, isReadOnly]
}

extension Store {
    /// - Throws: `.unavailable` unless the database answers and takes changes. A disk that is full is known from an upload of the
    ///   last minute that failed for it.
    public func ping() async throws(StoreError) {
        try await typed {
            let rows = try await pool.withConnection { connection in
                try await connection.execute(ServiceSQL.isReadOnly, timeout: .seconds(5))
            }
            if try rows[0].decode(Bool.self, at: 0) {
                throw PostgresError(.server, "the database is read-only", sqlState: .readOnlyTransaction)
            }
        }
        if let failure = writes.failure() { throw .unavailable(failure) }
    }

    /// The 32 bytes that authenticate change tokens.
    public func tokenKey() async throws(StoreError) -> [UInt8] {
        try await one(ServiceSQL.tokenKey) { row throws(PostgresError) in try row.decode([UInt8].self, at: 0) }
    }

    /// Every statement that the store runs, so that a test can hold each against the schema.
    public static var statements: [Statement] {
        ServiceSQL.all + EpochSQL.all + AccountSQL.all + IdentitySQL.all + DeviceSQL.all + ListSQL.all + MemberSQL.all
            + EntrySQL.all + AppendSQL.all + ChangeSQL.all + InvitationSQL.all + ShareSQL.all + EventSQL.all
            + CompressionSQL.all + ArchiveSQL.all + PartitionSQL.all + TrailSQL.all + ActivitySQL.all + HeadSQL.all
            + ReportSQL.all + NoticeSQL.all + DoctorSQL.all + DiagnosticsSQL.all + HostedDeviceSQL.all
            + HostedQueueSQL.all + PresenceSQL.all + SignUpSQL.all + PasswordSQL.all + EmailSQL.all + MigrationSQL.all
            + BackupSQL.all + AppendSQL.ofOneShard + statementsForOneServer
    }

    /// Those for one server only, which take several lists at once.
    static var statementsForOneServer: [Statement] {
        AppendSQL.forOneServer + ArchiveSQL.forOneServer + ChangeSQL.forOneServer + HeadSQL.forOneServer
            + HostedDeviceSQL.forOneServer
    }
}
