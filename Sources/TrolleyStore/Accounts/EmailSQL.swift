import TrolleyPostgres

/// SQL about whose an address is.
enum EmailSQL {
    // Few at a time, so that nobody's mail is flooded by somebody who types their address.
    static let insertCode = Statement(
        name: "email_code_insert",
        sql: """
            INSERT INTO email_code AS made (code_hash, email_key, expires_at)
            SELECT $1, $2::text, now() + $3::bigint * interval '1 millisecond'
            WHERE (SELECT count(*) FROM email_code WHERE email_key = $2 AND created_at > now() - interval '1 hour') < $4
            RETURNING expires_at
            """)

    static let deleteCode = Statement(name: "email_code_delete", sql: "DELETE FROM email_code WHERE code_hash = $1")

    // A code works once; of two who come at once one finds it gone.
    static let useCode = Statement(
        name: "email_code_use",
        sql: """
            DELETE FROM email_code
            WHERE code_hash = $1 AND email_key = $2 AND expires_at > now()
            RETURNING code_hash
            """)

    // Kept for an hour, to be counted.
    static let deleteExpiredCodes = Statement(
        name: "email_code_delete_expired",
        sql: "DELETE FROM email_code WHERE expires_at <= now() AND created_at <= now() - interval '1 hour'")

    // An address that nobody showed to be theirs goes to somebody who does. Nobody gets mail at the one that takes its place
    // (RFC 2606), and nobody else can sign up with it.
    static let release = Statement(
        name: "email_release",
        sql: """
            UPDATE account
            SET email = id::text || '@unverified.invalid', email_key = id::text || '@unverified.invalid'
            WHERE email_key = $1 AND email_verified_at IS NULL AND ($2::uuid IS NULL OR id <> $2)
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

    /// Lists that an account is or was on and to which open invitations name its address, in the order in which their locks are
    /// taken.
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

    // Somebody who has come by an invitation is the one it names, also under another address: they may come back by it, and
    // their removal ends it.
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
        insertCode, deleteCode, useCode, deleteExpiredCodes, release, set, lists, moveInvitations, verify, noteSent,
        noteFailed, delivery,
    ]
}
