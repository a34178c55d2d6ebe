import TrolleyPostgres

/// SQL about a hosted device's queues, about its lists (`HostedQueueSQL+lists.swift`), and for an integration that reads the
/// queues (`HostedQueueSQL+pages.swift`). `$1` is always the device, `$2` the list.
enum HostedQueueSQL {
    // MARK: Confirmed entries

    static let entries = Statement(
        name: "hosted_entry_of_list",
        sql: """
            SELECT content, applied
            FROM hosted_entry
            WHERE device_id = $1 AND list_id = $2
            ORDER BY sequence
            """)

    static let waitingEntries = Statement(
        name: "hosted_entry_waiting",
        sql: """
            SELECT content
            FROM hosted_entry
            WHERE device_id = $1 AND list_id = $2 AND NOT applied
            ORDER BY sequence
            """)

    /// The number of a list's rows in a table, and the bytes of their content.
    static func size(of table: String) -> String {
        """
        SELECT count(*), coalesce(sum(octet_length(content::text)), 0)::bigint
        FROM \(table)
        WHERE device_id = $1 AND list_id = $2
        """
    }

    static let sizeOfEntries = Statement(name: "hosted_entry_size", sql: size(of: "hosted_entry"))

    static let sizeOfWaitingEntries = Statement(
        name: "hosted_entry_waiting_size", sql: "\(size(of: "hosted_entry")) AND NOT applied")

    static let entriesByID = Statement(
        name: "hosted_entry_by_id",
        sql: "SELECT content FROM hosted_entry WHERE device_id = $1 AND list_id = $2 AND entry_id = ANY ($3)")

    /// Whether the list has an entry with this id, or has offered one to the service.
    static let hasEntry = Statement(
        name: "hosted_entry_has",
        sql: """
            SELECT true FROM hosted_entry WHERE device_id = $1 AND list_id = $2 AND entry_id = $3
            UNION ALL
            SELECT true FROM hosted_pending WHERE device_id = $1 AND list_id = $2 AND entry_id = $3
            """)

    /// Whether an entry has a text like this. It compares the stored JSON, which the service has written.
    static let mayHaveName = Statement(
        name: "hosted_entry_may_have_name",
        sql: """
            SELECT true FROM hosted_entry WHERE device_id = $1 AND list_id = $2 AND content::text ILIKE $3
            UNION ALL
            SELECT true FROM hosted_pending
            WHERE device_id = $1 AND list_id = $2 AND NOT retired AND content::text ILIKE $3
            LIMIT 1
            """)

    // An entry that was received before keeps its place in the to-apply queue.
    static let putEntries = Statement(
        name: "hosted_entry_put",
        sql: """
            INSERT INTO hosted_entry (device_id, list_id, entry_id, sequence, content, applied)
            SELECT $1, $2, new.*
            FROM unnest($3::uuid[], $4::bigint[], $5::json[], $6::boolean[]) AS new
            ON CONFLICT (list_id, device_id, entry_id)
                DO UPDATE SET sequence = EXCLUDED.sequence, content = EXCLUDED.content
            """)

    static let deleteEntries = Statement(
        name: "hosted_entry_delete",
        sql: "DELETE FROM hosted_entry WHERE device_id = $1 AND list_id = $2 AND entry_id = ANY ($3)")

    /// Deletes a list's entries. Returns those that were applied.
    static let clearEntries = Statement(
        name: "hosted_entry_clear",
        sql: """
            WITH gone AS (DELETE FROM hosted_entry WHERE device_id = $1 AND list_id = $2 RETURNING entry_id, applied)
            SELECT entry_id FROM gone WHERE applied
            """)

    static let apply = Statement(
        name: "hosted_entry_apply",
        sql: """
            UPDATE hosted_entry
            SET applied = true
            WHERE device_id = $1 AND list_id = $2 AND entry_id = ANY ($3) AND NOT applied
            """)

    static let applyAll = Statement(
        name: "hosted_entry_apply_all",
        sql: "UPDATE hosted_entry SET applied = true WHERE device_id = $1 AND list_id = $2 AND NOT applied")

    static let acknowledge = Statement(
        name: "hosted_entry_acknowledge",
        sql: """
            UPDATE hosted_entry
            SET applied = true
            WHERE device_id = $1 AND entry_id = ANY ($2) AND NOT applied AND ($3::uuid IS NULL OR list_id = $3)
            """)

    /// How far the integration has acknowledged summaries, list by list.
    static let summariesAcknowledged = Statement(
        name: "hosted_summary_acknowledged",
        sql: "SELECT list_id, summary_through FROM hosted_list WHERE device_id = $1 AND summary_through > 0")

    static let acknowledgeSummaries = Statement(
        name: "hosted_summary_acknowledge",
        sql: """
            UPDATE hosted_list
            SET summary_through = greatest(hosted_list.summary_through, handled.through)
            FROM unnest($2::uuid[], $3::bigint[]) AS handled (list_id, through)
            WHERE hosted_list.device_id = $1 AND hosted_list.list_id = handled.list_id
            """)

    // MARK: Items that nobody saw before they were marked off

    static let hide = Statement(
        name: "hosted_unseen_put",
        sql: """
            INSERT INTO hosted_unseen (device_id, list_id, item_id, entry_id)
            SELECT $1, $2, new.*
            FROM unnest($3::uuid[], $4::uuid[]) AS new
            ON CONFLICT (list_id, device_id, item_id) DO UPDATE SET entry_id = EXCLUDED.entry_id
            """)

    static let unseen = Statement(
        name: "hosted_unseen", sql: "SELECT item_id, entry_id FROM hosted_unseen WHERE device_id = $1 AND list_id = $2")

    // MARK: Pages of a snapshot

    static let stage = Statement(
        name: "hosted_staged_put",
        sql: """
            INSERT INTO hosted_staged (device_id, list_id, sequence, content)
            SELECT $1, $2, new.*
            FROM unnest($3::bigint[], $4::json[]) AS new
            ON CONFLICT (list_id, device_id, sequence) DO UPDATE SET content = EXCLUDED.content
            """)

    static let sizeOfStaged = Statement(name: "hosted_staged_size", sql: size(of: "hosted_staged"))

    static let staged = Statement(
        name: "hosted_staged",
        sql: "SELECT content FROM hosted_staged WHERE device_id = $1 AND list_id = $2 ORDER BY sequence")

    static let unstage = Statement(
        name: "hosted_staged_clear", sql: "DELETE FROM hosted_staged WHERE device_id = $1 AND list_id = $2")

    // MARK: The device's own entries

    /// Whether the entry `pending` of the device has not come back, so that it is not among the confirmed entries.
    static let isNotBack = """
        NOT EXISTS (
            SELECT FROM hosted_entry AS entry
            WHERE entry.list_id = pending.list_id AND entry.device_id = pending.device_id
                AND entry.entry_id = pending.entry_id)
        """

    static let pending = Statement(
        name: "hosted_pending_of_list",
        sql: """
            SELECT content, estimate
            FROM hosted_pending AS pending
            WHERE device_id = $1 AND list_id = $2 AND NOT retired AND \(isNotBack)
            ORDER BY position
            """)

    static let waiting = Statement(
        name: "hosted_pending_waiting",
        sql: """
            SELECT content, boot, uptime, wall
            FROM hosted_pending
            WHERE device_id = $1 AND list_id = $2 AND sequence IS NULL AND NOT retired
            ORDER BY position
            LIMIT $3
            """)

    /// The number of entries in the device's upload queue, of those of the list, of all of the list's own entries that have
    /// not come back, and of the device's rejected entries.
    static let countWaiting = Statement(
        name: "hosted_pending_count_waiting",
        sql: """
            SELECT
                count(*), count(*) FILTER (WHERE list_id = $2),
                (SELECT count(*) FROM hosted_pending WHERE device_id = $1 AND list_id = $2 AND NOT retired),
                (SELECT count(*) FROM hosted_rejected WHERE device_id = $1)
            FROM hosted_pending
            WHERE device_id = $1 AND sequence IS NULL AND NOT retired
            """)

    /// An entry that the service took in the same transaction has its sequence here, and is retired if it has come
    /// back, too.
    static let append = Statement(
        name: "hosted_pending_append",
        sql: """
            INSERT INTO hosted_pending (
                device_id, list_id, boot, uptime, wall, estimate, entry_id, position, content, sequence, retired
            )
            SELECT $1, $2, $3, $4, $5, $6, new.*
            FROM unnest($7::uuid[], $8::bigint[], $9::json[], $10::bigint[], $11::boolean[]) AS new
            """)

    static let counter = Statement(
        name: "hosted_counter", sql: "SELECT last FROM hosted_counter WHERE device_id = $1 AND list_id = $2")

    static let setCounter = Statement(
        name: "hosted_counter_set",
        sql: """
            INSERT INTO hosted_counter (device_id, list_id, last)
            VALUES ($1, $2, $3)
            ON CONFLICT (list_id, device_id) DO UPDATE SET last = EXCLUDED.last
            """)

    /// Records that the service has taken these entries, at these sequences.
    static let take = Statement(
        name: "hosted_pending_take",
        sql: """
            UPDATE hosted_pending AS pending
            SET sequence = taken.sequence
            FROM unnest($3::uuid[], $4::bigint[]) AS taken (entry_id, sequence)
            WHERE pending.device_id = $1 AND pending.list_id = $2 AND pending.entry_id = taken.entry_id
            """)

    static let retire = Statement(
        name: "hosted_pending_retire",
        sql: """
            UPDATE hosted_pending
            SET retired = true
            WHERE device_id = $1 AND list_id = $2 AND entry_id = ANY ($3) AND NOT retired
            RETURNING entry_id
            """)

    // The list has all changes up to this sequence: entries that the service took have come back, or were compressed
    // away since.
    static let pass = Statement(
        name: "hosted_pending_pass",
        sql: """
            UPDATE hosted_pending
            SET retired = true
            WHERE device_id = $1 AND list_id = $2 AND sequence <= $3 AND NOT retired
            """)

    // After a snapshot: recently taken or confirmed entries that the snapshot lacks wait again.
    static let reoffer = Statement(
        name: "hosted_pending_offer_again",
        sql: """
            UPDATE hosted_pending AS pending
            SET sequence = NULL, retired = false
            WHERE device_id = $1 AND list_id = $2 AND (NOT retired OR wall >= $3 AND NOT entry_id = ANY ($4)) AND \(isNotBack)
            """)

    static let forgetRetired = Statement(
        name: "hosted_pending_forget", sql: "DELETE FROM hosted_pending WHERE device_id = $1 AND retired AND wall < $2")

    // MARK: Rejected entries

    static let reject = Statement(
        name: "hosted_rejected_insert",
        sql: """
            WITH refused AS (
                DELETE FROM hosted_pending AS pending
                USING unnest($3::uuid[], $4::text[], $5::text[]) WITH ORDINALITY
                    AS verdict (entry_id, code, detail, place)
                WHERE pending.device_id = $1 AND pending.list_id = $2 AND pending.entry_id = verdict.entry_id
                RETURNING
                    pending.device_id, pending.list_id, pending.entry_id, pending.content, verdict.code,
                    verdict.detail, verdict.place
            )
            INSERT INTO hosted_rejected (
                device_id, list_id, entry_id, content, code, detail, list_name, rejected_at
            )
            SELECT device_id, list_id, entry_id, content, code, detail, $6, $7
            FROM refused
            ORDER BY place
            ON CONFLICT DO NOTHING
            """)

    static let rejected = Statement(
        name: "hosted_rejected",
        sql: """
            SELECT list_id, list_name, content, code, detail, rejected_at
            FROM hosted_rejected
            WHERE device_id = $1
            ORDER BY position
            """)

    static let rejectedAmong = Statement(
        name: "hosted_rejected_among",
        sql: """
            SELECT entry_id, content
            FROM hosted_rejected
            WHERE device_id = $1 AND list_id = $2 AND entry_id = ANY ($3)
            """)

    static let dismissArrived = Statement(
        name: "hosted_rejected_dismiss_arrived",
        sql: "DELETE FROM hosted_rejected WHERE device_id = $1 AND list_id = $2 AND entry_id = ANY ($3)")

    static let refusals = Statement(
        name: "hosted_rejected_refusals",
        sql: """
            SELECT code, count(*), max(rejected_at)
            FROM hosted_rejected
            WHERE device_id = $1
            GROUP BY code
            """)

    // An id is unique in its list. Of two lists' entries, the first one is meant, so that no unseen entry goes.
    /// Deletes all rejected entries, or those up to and including an entry ($2).
    static let dismiss = Statement(
        name: "hosted_rejected_dismiss",
        sql: """
            DELETE FROM hosted_rejected
            WHERE device_id = $1 AND (
                $2::uuid IS NULL
                OR position <= (
                    SELECT min(last.position)
                    FROM hosted_rejected AS last
                    WHERE last.device_id = $1 AND last.entry_id = $2))
            """)

    static let all =
        ofLists + ofPages + [
            entries, waitingEntries, sizeOfEntries, sizeOfWaitingEntries, entriesByID, hasEntry, mayHaveName,
            putEntries, deleteEntries, clearEntries, apply, applyAll, acknowledge, summariesAcknowledged,
            acknowledgeSummaries, hide, unseen, stage, staged, sizeOfStaged, unstage, pending, waiting, countWaiting,
            append, counter, setCounter, take, retire, pass,
            reoffer, forgetRetired, reject, rejected, rejectedAmong, dismissArrived, refusals, dismiss,
        ]
}
