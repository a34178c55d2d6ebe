public import TrolleyPostgres

/// SQL about the service itself.
enum ServiceSQL {
    static let tokenKey = Statement(name: "service_token_key", sql: "SELECT token_key FROM service")

    static let all = [tokenKey]
}

extension Store {
    /// - Throws: `.unavailable` unless the database answers.
    public func ping() async throws(StoreError) { try await typed { try await pool.checkHealth() } }

    /// The 32 bytes that authenticate change tokens.
    public func tokenKey() async throws(StoreError) -> [UInt8] {
        try await one(ServiceSQL.tokenKey) { row throws(PostgresError) in try row.decode([UInt8].self, at: 0) }
    }

    /// Every statement that the store runs, so that a test can hold each against the schema.
    public static var statements: [Statement] {
        ServiceSQL.all + EpochSQL.all + AccountSQL.all + IdentitySQL.all + DeviceSQL.all + ListSQL.all + MemberSQL.all
            + EntrySQL.all + AppendSQL.all + ChangeSQL.all + InvitationSQL.all + ShareSQL.all + EventSQL.all
            + CompressionSQL.all + ArchiveSQL.all + PartitionSQL.all + TrailSQL.all + ActivitySQL.all + HeadSQL.all
            + ReportSQL.all + DoctorSQL.all + DiagnosticsSQL.all + HostedDeviceSQL.all + HostedQueueSQL.all
            + PresenceSQL.all
            + SignUpSQL.all + MigrationSQL.all
    }
}
