import TrolleyPostgres

/// SQL about personal tokens.
enum PersonalTokenSQL {
    static let insert = Statement(
        name: "personal_token_insert",
        sql: """
            INSERT INTO personal_token (device_id, token_hash, read_only, list_ids, expires_at)
            VALUES ($1, $2, $3, $4, $5)
            """)

    private static let columns = """
        device.id, device.name, personal_token.read_only, personal_token.list_ids, device.created_at,
        CASE WHEN device.last_seen_at > device.created_at THEN device.last_seen_at END, personal_token.expires_at
        """

    /// The tokens of an account that have not been revoked, oldest first.
    static let ofAccount = Statement(
        name: "personal_token_of_account",
        sql: """
            SELECT \(columns)
            FROM personal_token
            JOIN device ON device.id = personal_token.device_id AND device.token_hash IS NOT NULL
            WHERE device.account_id = $1
            ORDER BY device.created_at, device.id
            """)

    /// Whether the account has, or had, this token.
    static let of = Statement(
        name: "personal_token_of",
        sql: """
            SELECT
            FROM personal_token
            JOIN device ON device.id = personal_token.device_id
            WHERE device.id = $1 AND device.account_id = $2
            """)

    /// The names of those of these devices that are personal tokens, revoked ones too.
    static let names = Statement(
        name: "personal_token_names",
        sql: """
            SELECT device.id, device.name
            FROM personal_token
            JOIN device ON device.id = personal_token.device_id
            WHERE personal_token.device_id = ANY ($1)
            """)

    /// Ends the sessions of expired tokens, at most $1.
    static let endExpired = Statement(
        name: "personal_token_end_expired",
        sql: """
            UPDATE device
            SET token_hash = NULL
            WHERE id IN (
                SELECT device.id
                FROM personal_token
                JOIN device ON device.id = personal_token.device_id AND device.token_hash IS NOT NULL
                WHERE personal_token.expires_at <= now()
                ORDER BY device.id
                LIMIT $1
                FOR UPDATE OF device)
            RETURNING id
            """)

    static let all = [insert, ofAccount, of, names, endExpired]
}
