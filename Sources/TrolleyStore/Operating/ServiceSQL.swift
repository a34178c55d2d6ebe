package import TrolleyPostgres

/// SQL about the service itself.
enum ServiceSQL {
    static let tokenKey = Statement(name: "service_token_key", sql: "SELECT token_key FROM service")

    /// Whether this server refuses writes: a standby does, and any database can be made read-only.
    static let isReadOnly = Statement(
        name: "service_is_read_only", sql: "SELECT current_setting('transaction_read_only')::boolean")

    static let all = [tokenKey, isReadOnly]
}

extension Store {
    /// Checks that the database answers and accepts writes, over a connection of its own.
    /// - Throws: `.unavailable` if it doesn't, or if an upload within the last minute failed because the disk was full.
    package func ping() async throws(StoreError) {
        try await typed {
            if try await health.isReadOnly() {
                throw PostgresError(.server, "the database is read-only", sqlState: .readOnlyTransaction)
            }
        }
        try checkWrites()
    }

    /// - Throws: `.unavailable` if an upload within the last minute failed because the disk was full, and none has
    ///   succeeded since.
    package func checkWrites() throws(StoreError) {
        if let failure = writes.failure() { throw .unavailable(failure) }
    }

    /// The 32 bytes that authenticate change tokens.
    package func tokenKey() async throws(StoreError) -> [UInt8] {
        try await one(ServiceSQL.tokenKey) { row throws(PostgresError) in try row.decode([UInt8].self, at: 0) }
    }

    /// Every statement of the store, so that a test can prepare each against the schema.
    package static var statements: [Statement] {
        ServiceSQL.all + EpochSQL.all + AccountSQL.all + IdentitySQL.all + DeviceSQL.all + PersonalTokenSQL.all
            + ListSQL.all + TitleSQL.all + MemberSQL.all
            + EntrySQL.all + AppendSQL.all + ChangeSQL.all + InvitationSQL.all + ShareSQL.all + EventSQL.all
            + CompressionSQL.all + ArchiveSQL.all + PartitionSQL.all + TrailSQL.all + ActivitySQL.all + HeadSQL.all
            + ReportSQL.all + NoticeSQL.all + ProcessSQL.all + LeadershipSQL.all + DoctorSQL.all + DiagnosticsSQL.all
            + MaintenanceSQL.all + OperatorSQL.all
            + HostedDeviceSQL.all + CalendarSQL.all
            + HostedQueueSQL.all + PresenceSQL.all + RoomSQL.all + HailSQL.all + MessageSQL.all + SummarySQL.all
            + PushSQL.all + DeliverySQL.all + RegistrationSQL.all
            + SignUpSQL.all + PasswordSQL.all + EmailSQL.all + AccountChangeSQL.all + MigrationSQL.all
            + BackfillSQL.all
            + BackupSQL.all + AppendSQL.ofOneShard + CompressionSQL.ofOneShard + statementsForOneServer
    }

    /// Statements for a single server only, which take several lists at once.
    static var statementsForOneServer: [Statement] {
        AppendSQL.forOneServer + ArchiveSQL.forOneServer + ChangeSQL.forOneServer + HeadSQL.forOneServer
            + HostedDeviceSQL.forOneServer
    }
}
