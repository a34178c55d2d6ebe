import TrolleyPostgres

/// SQL about epochs.
enum EpochSQL {
    // Tells this database from a copy: the cluster's identifier, which `initdb` makes; its timeline, which a standby's
    // promotion and a point-in-time recovery change; and the OID of a table, which `pg_restore` changes. Null on a
    // standby, which is a copy until it is promoted.
    static let origin = """
        CASE WHEN NOT pg_is_in_recovery() THEN
            (SELECT system_identifier FROM pg_control_system())::text
            || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            || '/' || 'service'::regclass::oid::text
        END
        """

    static let current = Statement(
        name: "epoch_current", sql: "SELECT epoch, epoch_began_at, epoch_reason, origin FROM service")

    // Reads no table: a statement on a reference table may run on any node, and each node has its own origin.
    static let actualOrigin = Statement(name: "epoch_actual_origin", sql: "SELECT \(origin)")

    // The first check records the origin.
    static let adopt = Statement(
        name: "epoch_adopt", sql: "UPDATE service SET origin = $1 WHERE origin IS NULL")

    // Of several processes that notice a new origin at the same time, the first begins an epoch and the others find it.
    static let renew = Statement(
        name: "epoch_renew",
        sql: """
            UPDATE service
            SET epoch = $2, epoch_began_at = now(), epoch_reason = $3, origin = $4
            WHERE epoch = $1
            """)

    static let all = [current, actualOrigin, adopt, renew]
}
