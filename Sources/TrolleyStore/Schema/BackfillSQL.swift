import TrolleyPostgres

/// SQL about backfills: rows of earlier versions get what this version writes with each row.
enum BackfillSQL {
    /// A database that lacks migration 37 has none.
    static let exists = Statement(name: "backfill_exists", sql: "SELECT to_regclass('backfill') IS NOT NULL")

    static let state = Statement(
        name: "backfill_state",
        sql: """
            SELECT name, after_list, lists, of_lists, moved_at, finished_at IS NOT NULL
            FROM backfill
            ORDER BY name
            """)

    /// The number of all lists, to tell how far a backfill is.
    static let count = Statement(name: "backfill_count", sql: "SELECT count(*) FROM list")

    static let begin = Statement(
        name: "backfill_begin",
        sql: "UPDATE backfill SET of_lists = $2, moved_at = now() WHERE name = $1 AND of_lists IS NULL")

    /// The next lists.
    static let page = Statement(
        name: "backfill_page", sql: "SELECT id FROM list WHERE id > $1 ORDER BY id LIMIT $2")

    // Changes nothing when another process has gone on from the same place meanwhile.
    /// Records that the lists after $2 and up to $3 are done.
    static let advance = Statement(
        name: "backfill_advance",
        sql: """
            UPDATE backfill
            SET after_list = $3, lists = lists + $4, moved_at = now()
            WHERE name = $1 AND after_list = $2
            """)

    static let finish = Statement(
        name: "backfill_finish",
        sql: "UPDATE backfill SET finished_at = now(), moved_at = now() WHERE name = $1 AND after_list = $2")

    // Each of the following is about one list, and names it in each of its tables, so that Citus asks one shard. They don't
    // lock the list first, and hold no lock for longer than the statement takes.

    // While this statement waits for the list's row, another transaction may move the head to a change that this statement's
    // snapshot doesn't have. Then the two heads differ, and nothing is changed: a process of this version has set the mark
    // itself, and after one of an earlier version it is looked up as before.
    /// Gives a list's row the mark of its head. The mark stays null where the time of that change is unknown.
    static let listMark = Statement(
        name: "backfill_list_mark",
        sql: """
            UPDATE list
            SET mark_of = list.head, mark = coalesce(\(ChangeSQL.lookedUp("list.head", of: "$1")))
            WHERE list.id = $1 AND list.head > 0 AND list.deleted_at IS NULL
                AND list.mark_of IS DISTINCT FROM list.head
                AND list.head = (SELECT seen.head FROM list AS seen WHERE seen.id = $1)
            """)

    /// Gives a list's events their types.
    static let eventType = Statement(
        name: "backfill_event_type",
        sql: "UPDATE event SET type = change ->> 'type' WHERE list_id = $1 AND type IS NULL")

    static let all = [exists, state, count, begin, page, advance, finish, listMark, eventType]
}
