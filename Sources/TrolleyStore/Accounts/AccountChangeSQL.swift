import TrolleyPostgres

/// SQL about changes of an account that its lists show.
enum AccountChangeSQL {
    /// The account before a change. Another change waits.
    static let former = Statement(
        name: "account_change_former", sql: "SELECT \(AccountSQL.columns) FROM account WHERE id = $1 FOR NO KEY UPDATE")

    /// Null ($2, $3): it stays. An empty colour ($3) is none.
    static let change = Statement(
        name: "account_change",
        sql: """
            UPDATE account
            SET name = coalesce($2::text, name), colour = nullif(coalesce($3::text, colour), '')
            WHERE id = $1 AND deleted_at IS NULL
            RETURNING \(AccountSQL.columns)
            """)

    /// Notes that the account's lists are to show its new name, address or colour.
    static let note = Statement(
        name: "account_change_note",
        sql: """
            INSERT INTO account_change AS known (account_id)
            VALUES ($1)
            ON CONFLICT (account_id) DO UPDATE SET number = known.number + 1, after_list = DEFAULT
            """)

    /// The accounts ($1: the only one to look for; null: all) whose lists don't show their present names, addresses or
    /// colours yet.
    static let open = Statement(
        name: "account_changes_open",
        sql: """
            SELECT account_id, number, after_list
            FROM account_change
            WHERE $1::uuid IS NULL OR account_id = $1
            ORDER BY account_id
            LIMIT 100
            """)

    /// Notes that the lists up to one ($3) show the change with this number.
    static let advance = Statement(
        name: "account_change_advance",
        sql: """
            UPDATE account_change
            SET after_list = greatest(after_list, $3)
            WHERE account_id = $1 AND number = $2
            """)

    static let finish = Statement(
        name: "account_change_finish", sql: "DELETE FROM account_change WHERE account_id = $1 AND number = $2")

    static let all = [former, change, note, open, advance, finish]
}
