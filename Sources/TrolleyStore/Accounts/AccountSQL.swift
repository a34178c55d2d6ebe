import TrolleyPostgres

/// SQL about accounts.
enum AccountSQL {
    static let columns = """
        account.id, account.email, account.name, account.created_at, account.email_verified_at IS NOT NULL,
        account.is_operator, account.colour
        """

    static let insert = Statement(
        name: "account_insert",
        sql: """
            INSERT INTO account (id, email, email_key, name, password_hash, email_verified_at)
            VALUES ($1, $2, $3, $4, $5, CASE WHEN $6::boolean THEN now() END)
            ON CONFLICT (email_key) DO NOTHING
            RETURNING \(columns)
            """)

    static let byID = Statement(
        name: "account_by_id", sql: "SELECT \(columns) FROM account WHERE id = $1")

    static let byEmail = Statement(
        name: "account_by_email",
        sql: "SELECT \(columns), password_hash FROM account WHERE email_key = $1 AND deleted_at IS NULL")

    static let isOperator = Statement(
        name: "account_is_operator", sql: "SELECT is_operator FROM account WHERE id = $1 AND deleted_at IS NULL")

    static let setOperator = Statement(
        name: "account_set_operator", sql: "UPDATE account SET is_operator = $2 WHERE id = $1")

    static let passwordHash = Statement(
        name: "account_password_hash", sql: "SELECT password_hash FROM account WHERE id = $1")

    // Locks the account's row until the transaction ends, so that the account can't join a list meanwhile.
    static let lock = Statement(
        name: "account_lock", sql: "SELECT email_key FROM account WHERE id = $1 FOR UPDATE")

    /// The next list ($2: the one before) whose stream may mention the account, in lock order: lists that the account is
    /// on, was on, was invited to, or invited somebody to. An invitation to an unverified address is not counted, because
    /// the address may belong to somebody else.
    static let mentioning = Statement(
        name: "account_mentioning_lists",
        sql: """
            SELECT list_id FROM member WHERE account_id = $1 AND list_id > $2
            UNION
            SELECT list_id FROM departure WHERE account_id = $1 AND list_id > $2
            UNION
            SELECT list_id FROM invitation WHERE invited_by = $1 AND list_id > $2
            UNION
            SELECT list_id
            FROM invitation
            WHERE list_id > $2
                AND email_key = (SELECT email_key FROM account WHERE id = $1 AND email_verified_at IS NOT NULL)
            ORDER BY list_id
            LIMIT 1
            """)

    static let endInvitations = Statement(
        name: "account_end_invitations",
        sql: """
            WITH own AS (
                DELETE FROM invitation
                WHERE list_id = $1 AND (
                    accepted_by = $2
                    OR email_key = (
                        SELECT email_key
                        FROM account
                        WHERE account.id = $2 AND (
                            email_verified_at IS NOT NULL
                            OR EXISTS (SELECT FROM departure WHERE list_id = $1 AND account_id = $2))))
            )
            UPDATE invitation
            SET ended = 'withdrawn'
            WHERE list_id = $1 AND invited_by = $2 AND ended IS NULL
            """)

    static let deleteDepartures = Statement(
        name: "account_delete_departures", sql: "DELETE FROM departure WHERE account_id = $1")

    static let deleteReadMarks = Statement(
        name: "account_delete_read_marks", sql: "DELETE FROM read_mark WHERE account_id = $1")

    // The account's devices are deleted with it.
    static let delete = Statement(name: "account_delete", sql: "DELETE FROM account WHERE id = $1")

    // MARK: Deletion in steps

    // No password has this hash.
    static let beginDeletion = Statement(
        name: "account_begin_deletion",
        sql: """
            UPDATE account
            SET deleted_at = now(), password_hash = '-'
            WHERE id = $1
            RETURNING id
            """)

    static let deleteDevices = Statement(
        name: "account_delete_devices", sql: "DELETE FROM device WHERE account_id = $1 RETURNING id")

    static let deleteIdentities = Statement(
        name: "account_delete_identities", sql: "DELETE FROM identity WHERE account_id = $1")

    static let recordDeletion = Statement(
        name: "account_deletion_insert",
        sql: "INSERT INTO account_deletion (account_id) VALUES ($1) ON CONFLICT (account_id) DO NOTHING")

    /// The unfinished deletions that no process works on.
    static let deletions = Statement(
        name: "account_deletions",
        sql: "SELECT account_id FROM account_deletion WHERE claimed_until < now() ORDER BY account_id LIMIT 100")

    // One process works on a deletion, so that the work is not done twice. If it dies, another one goes on after 30 s.
    /// Claims a deletion, or keeps it claimed ($2).
    static let claim = Statement(
        name: "account_deletion_claim",
        sql: """
            UPDATE account_deletion
            SET claimed_until = now() + interval '30 seconds'
            WHERE account_id = $1 AND ($2 OR claimed_until < now())
            RETURNING after_list, addresses
            """)

    static let release = Statement(
        name: "account_deletion_release",
        sql: "UPDATE account_deletion SET claimed_until = '-infinity' WHERE account_id = $1")

    static let noteAddresses = Statement(
        name: "account_deletion_note_addresses",
        sql: "UPDATE account_deletion SET addresses = $2 WHERE account_id = $1")

    static let advance = Statement(
        name: "account_deletion_advance",
        sql: "UPDATE account_deletion SET after_list = greatest(after_list, $2) WHERE account_id = $1")

    static let restart = Statement(
        name: "account_deletion_restart",
        sql: """
            UPDATE account_deletion
            SET after_list = '00000000-0000-0000-0000-000000000000'
            WHERE account_id = $1
            """)

    // Ids rise with time.
    static let page = Statement(
        name: "account_page",
        sql: """
            SELECT \(columns), count(device.id), max(device.last_seen_at)
            FROM (
                SELECT id, email, name, created_at, email_verified_at, is_operator, colour
                FROM account
                WHERE $1::uuid IS NULL OR id > $1
                ORDER BY id
                LIMIT $2
            ) AS account
            LEFT JOIN device ON device.account_id = account.id AND device.token_hash IS NOT NULL
            GROUP BY
                account.id, account.email, account.name, account.created_at, account.email_verified_at,
                account.is_operator, account.colour
            ORDER BY account.id
            """)

    static let all = [
        insert, byID, byEmail, isOperator, setOperator, passwordHash, page, lock, mentioning, beginDeletion,
        deleteDevices, deleteIdentities, recordDeletion, deletions, claim, release, noteAddresses, advance, restart,
        endInvitations, deleteDepartures, deleteReadMarks, delete,
    ]
}
