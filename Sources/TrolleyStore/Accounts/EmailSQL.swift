import TrolleyPostgres

/// SQL about email addresses and the proof that they belong to an account's person.
enum EmailSQL {
    // Holds until the transaction ends. Otherwise several codes that are made at the same time would each not count the
    // others. An address has no row to lock: it may belong to nobody yet.
    static let lockCodes = Statement(
        name: "email_code_lock", sql: "SELECT pg_advisory_xact_lock(hashtextextended('email code for ' || $1::text, 0))"
    )

    // At most $4 codes an hour for one address, so that nobody can flood another person's mailbox. The address is locked.
    static let insertCode = Statement(
        name: "email_code_insert",
        sql: """
            INSERT INTO email_code AS made (code_hash, email_key, expires_at)
            SELECT $1, $2::text, now() + $3::bigint * interval '1 millisecond'
            WHERE (SELECT count(*) FROM email_code WHERE email_key = $2 AND created_at > now() - interval '1 hour') < $4
            RETURNING expires_at
            """)

    static let deleteCode = Statement(name: "email_code_delete", sql: "DELETE FROM email_code WHERE code_hash = $1")

    // A code works once: of two concurrent uses, the second finds no row.
    static let useCode = Statement(
        name: "email_code_use",
        sql: """
            DELETE FROM email_code
            WHERE code_hash = $1 AND email_key = $2 AND expires_at > now()
            RETURNING code_hash
            """)

    // Expired codes are kept for an hour, because the limit counts them.
    static let deleteExpiredCodes = Statement(
        name: "email_code_delete_expired",
        sql: "DELETE FROM email_code WHERE expires_at <= now() AND created_at <= now() - interval '1 hour'")

    // An unverified address goes to the person who proves that it is theirs. The account that had it gets a replacement
    // in a domain that receives no mail (RFC 2606) and that nobody can sign up with.
    static let release = Statement(
        name: "email_release",
        sql: """
            UPDATE account
            SET email = id::text || '@unverified.invalid', email_key = id::text || '@unverified.invalid'
            WHERE email_key = $1 AND email_verified_at IS NULL AND deleted_at IS NULL AND ($2::uuid IS NULL OR id <> $2)
            RETURNING id
            """)

    static let set = Statement(
        name: "email_set",
        sql: """
            UPDATE account
            SET email = $2, email_key = $3, email_verified_at = now()
            WHERE id = $1
            RETURNING \(AccountSQL.columns)
            """)

    /// The lists, in lock order, that the account is or was on and to which open invitations name its address.
    static let lists = Statement(
        name: "email_lists",
        sql: """
            SELECT DISTINCT invitation.list_id
            FROM invitation
            JOIN account ON account.id = $1 AND account.email_key = invitation.email_key
            WHERE invitation.ended IS NULL
                AND (
                    EXISTS (
                        SELECT FROM member WHERE member.list_id = invitation.list_id AND member.account_id = $1)
                    OR EXISTS (
                        SELECT FROM departure
                        WHERE departure.list_id = invitation.list_id AND departure.account_id = $1))
            ORDER BY invitation.list_id
            """)

    // An invitation by which somebody joined names that person, even when their address changes: they can return by it,
    // and removing them ends it.
    static let moveInvitations = Statement(
        name: "email_move_invitations",
        sql: """
            UPDATE invitation
            SET email = $3, email_key = $4
            WHERE list_id = $1 AND email_key = $2 AND ended IS NULL
            """)

    static let verify = Statement(
        name: "email_verify",
        sql: "UPDATE account SET email_verified_at = now() WHERE id = $1 AND email_verified_at IS NULL")

    static let noteSent = Statement(name: "mail_note_sent", sql: "UPDATE mail_delivery SET sent_at = now()")

    static let noteFailed = Statement(
        name: "mail_note_failed", sql: "UPDATE mail_delivery SET failed_at = now(), failure = $1")

    static let delivery = Statement(
        name: "mail_delivery", sql: "SELECT sent_at, failed_at, failure FROM mail_delivery")

    static let all = [
        lockCodes, insertCode, deleteCode, useCode, deleteExpiredCodes, release, set, lists, moveInvitations, verify,
        noteSent,
        noteFailed, delivery,
    ]
}
