import TrolleyPostgres

/// SQL about invitations.
enum InvitationSQL {
    /// Whether an invitation may still put somebody on the list: it is neither ended nor expired, nor a link for one person that
    /// somebody has used. Those who have used a link for several people may return by it.
    private static let isInForce = """
        (invitation.ended IS NULL AND invitation.accepted_by IS NULL
            AND (invitation.expires_at IS NULL OR invitation.expires_at > now()))
        """

    /// Whether an invitation can be used by somebody who hasn't used it: it is in force and, if it is a link, used by fewer
    /// people than it is for.
    static let isOpen = "(\(isInForce) AND cardinality(invitation.used_by) < coalesce(invitation.uses, 1))"

    // A device may have made the secret, so a repeated request makes no second invitation.
    static let insert = Statement(
        name: "invitation_insert",
        sql: """
            INSERT INTO invitation (list_id, id, secret_hash, email_key, email, permission, invited_by, expires_at, uses)
            VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8::bigint * interval '1 millisecond', $9)
            ON CONFLICT (list_id, secret_hash) DO NOTHING
            """)

    /// Invitations in any state, by the hashes of their secrets.
    static let bySecrets = Statement(
        name: "invitation_by_secrets",
        sql: """
            SELECT list_id, secret_hash, id, email, permission, expires_at, uses
            FROM invitation
            WHERE secret_hash = ANY ($1)
            """)

    // The owner's latest permission for an address applies to all its invitations, so that an older one doesn't grant
    // more.
    static let permit = Statement(
        name: "invitation_permit",
        sql: """
            UPDATE invitation
            SET permission = $3
            WHERE list_id = $1 AND email_key = $2 AND ended IS NULL AND permission <> $3
            """)

    static let permitAccount = Statement(
        name: "invitation_permit_account",
        sql: """
            UPDATE invitation
            SET permission = $3
            WHERE list_id = $1 AND email_key = (SELECT email_key FROM account WHERE account.id = $2) AND ended IS NULL
            """)

    /// The invitations to a list by which people may join or return, oldest first, and whether the invited person is on the
    /// list.
    static let ofList = Statement(
        name: "invitation_of_list",
        sql: """
            SELECT
                invitation.id, invitation.email, invitation.permission, invitation.created_at, invitation.expires_at,
                EXISTS (
                    SELECT FROM account
                    JOIN member ON member.list_id = $1 AND member.account_id = account.id
                    WHERE account.email_key = invitation.email_key),
                invitation.uses, cardinality(invitation.used_by)
            FROM invitation
            WHERE invitation.list_id = $1 AND \(isInForce)
            ORDER BY invitation.created_at, invitation.id
            """)

    /// Whether anybody but the owner is on the list or can still join it.
    static let isShared = Statement(
        name: "invitation_is_shared",
        sql: """
            SELECT EXISTS (SELECT FROM member WHERE list_id = $1 AND role = 'participant')
                OR EXISTS (SELECT FROM invitation WHERE list_id = $1 AND \(isOpen))
            """)

    /// An invitation that this account may use. Such a person may see the items.
    static let usable = Statement(
        name: "invitation_usable",
        sql: """
            SELECT invitation.list_id, invitation.permission, owner.name, true
            FROM invitation
            JOIN list ON list.id = $3 AND list.deleted_at IS NULL
            JOIN account AS owner ON owner.id = list.owner_id
            JOIN account AS reader ON reader.id = $2
            WHERE invitation.list_id = $3 AND invitation.secret_hash = $1 AND \(isUsable(by: "reader"))
            """)

    // Somebody who was removed has the link of a household, too, and signs out to look.
    /// A link that can be used without having been used for signing up, and whether anybody may see the items: nobody has used
    /// it.
    static let usableByAnybody = Statement(
        name: "invitation_usable_by_anybody",
        sql: """
            SELECT
                invitation.list_id, invitation.permission, owner.name,
                cardinality(invitation.used_by) + cardinality(invitation.barred) = 0
            FROM invitation
            JOIN list ON list.id = $2 AND list.deleted_at IS NULL
            JOIN account AS owner ON owner.id = list.owner_id
            WHERE invitation.list_id = $2 AND invitation.secret_hash = $1 AND \(isOpen)
                AND invitation.email_key IS NULL AND invitation.signed_up IS NULL
            """)

    // Uses up the invitation. Returns nothing if somebody else used it first or the owner has withdrawn it.
    static let use = Statement(
        name: "invitation_use",
        sql: """
            UPDATE invitation
            SET accepted_by = CASE WHEN invitation.email_key IS NULL AND invitation.uses IS NULL THEN $3::uuid END,
                used_by = CASE
                    WHEN invitation.uses IS NULL OR $3 = ANY (invitation.used_by) THEN invitation.used_by
                    ELSE invitation.used_by || $3::uuid
                END
            FROM account AS reader
            WHERE invitation.list_id = $1 AND invitation.secret_hash = $2 AND reader.id = $3 AND \(isUsable(by: "reader"))
            RETURNING invitation.permission
            """)

    private static func isUsable(by reader: String) -> String {
        """
        invitation.ended IS NULL AND (invitation.expires_at IS NULL OR invitation.expires_at > now())
            AND (invitation.email_key IS NULL OR invitation.email_key = \(reader).email_key)
            AND (invitation.accepted_by IS NULL OR invitation.accepted_by = \(reader).id)
            AND (invitation.email_key IS NOT NULL OR invitation.signed_up IS NULL
                OR invitation.signed_up = \(reader).id)
            AND (invitation.uses IS NULL OR \(reader).id <> ALL (invitation.barred)
                AND (\(reader).id = ANY (invitation.used_by) OR cardinality(invitation.used_by) < invitation.uses))
        """
    }

    /// An invitation to a list ($3) that this account may decline, or has declined.
    static let declinable = Statement(
        name: "invitation_declinable",
        sql: """
            SELECT invitation.list_id, invitation.ended IS NOT NULL
            FROM invitation
            JOIN account AS reader ON reader.id = $2
            WHERE invitation.list_id = $3 AND invitation.secret_hash = $1
                AND (invitation.email_key IS NULL OR invitation.email_key = reader.email_key)
                AND (\(isOpen) OR invitation.ended = 'declined')
            """)

    // A link for several people stays for the others. Declining one invitation declines all invitations of this person to the list. For an account with an unverified
    // address, only an invitation by that address ends the others, because the address may be somebody else's.
    static let decline = Statement(
        name: "invitation_decline",
        sql: """
            UPDATE invitation
            SET ended = 'declined'
            WHERE invitation.list_id = $1 AND \(isOpen)
                AND (invitation.secret_hash = $2 AND invitation.uses IS NULL
                    OR invitation.email_key = (
                        SELECT account.email_key
                        FROM account
                        WHERE account.id = $3 AND (
                            account.email_verified_at IS NOT NULL
                            OR EXISTS (
                                SELECT
                                FROM invitation AS used
                                WHERE used.list_id = $1 AND used.secret_hash = $2
                                    AND used.email_key = account.email_key))))
            """)

    /// Returns the invitation even if it had ended already, so that withdrawing twice is no error.
    static let withdraw = Statement(
        name: "invitation_withdraw",
        sql: """
            UPDATE invitation
            SET ended = coalesce(ended, 'withdrawn')
            WHERE list_id = $1 AND id = $2 AND accepted_by IS NULL
            RETURNING id
            """)

    // An invitation by address survives when the person leaves, so that they can return; when the owner removes them it
    // ends.
    static let withdrawFromAccount = Statement(
        name: "invitation_withdraw_from_account",
        sql: """
            UPDATE invitation
            SET ended = 'withdrawn'
            WHERE list_id = $1 AND email_key = (SELECT email_key FROM account WHERE account.id = $2) AND ended IS NULL
            RETURNING id
            """)

    /// Ends all invitations that other accounts made.
    static let withdrawOthers = Statement(
        name: "invitation_withdraw_others",
        sql: """
            UPDATE invitation
            SET ended = 'withdrawn'
            WHERE list_id = $1 AND invited_by <> $2 AND \(isInForce)
            """)

    /// Ends the links that somebody made who owned the list once, and who may have kept them.
    static let withdrawLinksOf = Statement(
        name: "invitation_withdraw_links_of",
        sql: """
            UPDATE invitation
            SET ended = 'withdrawn'
            WHERE list_id = $1 AND invited_by = $2 AND email_key IS NULL AND \(isInForce)
            """)

    /// Keeps somebody whom the owner removes from returning by a link for several people.
    static let bar = Statement(
        name: "invitation_bar",
        sql: """
            UPDATE invitation
            SET barred = barred || $2::uuid
            WHERE list_id = $1 AND uses IS NOT NULL AND $2 <> ALL (barred)
            """)

    // A used link ends with the membership that it gave.
    static let deleteUsed = Statement(
        name: "invitation_delete_used", sql: "DELETE FROM invitation WHERE list_id = $1 AND accepted_by = $2")

    static let withdrawAll = Statement(
        name: "invitation_withdraw_all",
        sql: """
            WITH links AS (DELETE FROM invitation WHERE list_id = $1 AND email_key IS NULL)
            UPDATE invitation
            SET ended = 'withdrawn'
            WHERE list_id = $1 AND email_key IS NOT NULL AND ended IS NULL
            """)

    static let deleteOfList = Statement(
        name: "invitation_delete_of_list", sql: "DELETE FROM invitation WHERE list_id = $1")

    /// Lists with expired invitations.
    static let expiredLists = Statement(
        name: "invitation_expired_lists",
        sql: """
            SELECT DISTINCT list_id
            FROM invitation
            WHERE expires_at <= now() AND ended IS NULL AND accepted_by IS NULL
            """)

    static let expire = Statement(
        name: "invitation_expire",
        sql: """
            UPDATE invitation
            SET ended = 'expired'
            WHERE list_id = $1 AND expires_at <= now() AND ended IS NULL AND accepted_by IS NULL
            RETURNING email_key IS NOT NULL
            """)

    static let all = [
        insert, bySecrets, permit, permitAccount, ofList, isShared, usable, usableByAnybody, use, declinable, decline,
        withdraw, withdrawFromAccount, withdrawOthers, withdrawLinksOf, bar, deleteUsed, withdrawAll, deleteOfList,
        expiredLists, expire,
    ]
}
