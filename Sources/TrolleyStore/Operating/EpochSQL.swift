import TrolleyPostgres

/// SQL about epochs.
enum EpochSQL {
    // What tells this database from a copy of it: the cluster's identifier, which `initdb` makes; its timeline, which a
    // standby's promotion and a point-in-time recovery change; and the number of a table, which `pg_restore` changes. Null
    // on a standby, which is a copy and no successor (yet).
    static let origin = """
        CASE WHEN NOT pg_is_in_recovery() THEN
            (SELECT system_identifier FROM pg_control_system())::text
            || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
            || '/' || 'service'::regclass::oid::text
        END
        """

    static let current = Statement(
        name: "epoch_current",
        sql: """
            SELECT epoch, epoch_began_at, epoch_reason, origin, \(origin) AS actual_origin
            FROM service
            """)

    // The first look.
    static let adopt = Statement(
        name: "epoch_adopt", sql: "UPDATE service SET origin = \(origin) WHERE origin IS NULL")

    // Of several processes that notice the same thing one is first; the others find its epoch.
    static let renew = Statement(
        name: "epoch_renew",
        sql: """
            UPDATE service
            SET epoch = gen_random_uuid(), epoch_began_at = now(), epoch_reason = $2, origin = \(origin)
            WHERE epoch = $1
            """)

    static let all = [current, adopt, renew]
}
