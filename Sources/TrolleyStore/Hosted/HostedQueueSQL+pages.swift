import TrolleyPostgres

// SQL for an integration that reads the queues of a hosted device. `$1` is always the device.

extension HostedQueueSQL {
    /// The bytes of content in a page, apart from its last entry.
    private static let bytesOfPage = 2 << 20

    /// The first rows of a part of the queues, with the number of all its rows as `total`: at most $2, and about 2 MiB of
    /// content, but one row at least.
    private static func page(of table: String, _ columns: String, where condition: String, by order: String) -> String {
        """
        SELECT \(columns), total
        FROM (
            SELECT
                \(columns), total,
                sum(octet_length(content::text)) OVER (
                    ORDER BY \(order) ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
            FROM (
                SELECT \(columns), count(*) OVER () AS total
                FROM \(table)
                WHERE device_id = $1 AND \(condition)
                ORDER BY \(order)
                LIMIT $2
            ) AS first
        ) AS sized
        WHERE coalesce(bytes_before, 0) < \(bytesOfPage)
        ORDER BY \(order)
        """
    }

    /// The upload queues of the lists $3, list by list.
    static let uploadPage = Statement(
        name: "hosted_pending_page",
        sql: page(
            of: "hosted_pending", "list_id, position, content",
            where: "sequence IS NULL AND NOT retired AND list_id = ANY ($3)", by: "list_id, position"))

    /// The to-apply queues of the lists $3, list by list.
    static let toApplyPage = Statement(
        name: "hosted_entry_page",
        sql: page(
            of: "hosted_entry", "list_id, sequence, content", where: "NOT applied AND list_id = ANY ($3)",
            by: "list_id, sequence"))

    static let rejectedPage = Statement(
        name: "hosted_rejected_page",
        sql: page(
            of: "hosted_rejected", "position, list_id, list_name, content, code, detail, rejected_at", where: "true",
            by: "position"))

    /// The number of entries of each operation in the queues of the lists $2, and whether the queue is the upload queue.
    static let counts = Statement(
        name: "hosted_queue_counts",
        sql: """
            SELECT list_id, true, content ->> 'operation', count(*)
            FROM hosted_pending
            WHERE device_id = $1 AND sequence IS NULL AND NOT retired AND list_id = ANY ($2)
            GROUP BY list_id, content ->> 'operation'
            UNION ALL
            SELECT list_id, false, content ->> 'operation', count(*)
            FROM hosted_entry
            WHERE device_id = $1 AND NOT applied AND list_id = ANY ($2)
            GROUP BY list_id, content ->> 'operation'
            """)

    /// The same of the to-apply queue of the list $2.
    static let toApplyCounts = Statement(
        name: "hosted_entry_counts",
        sql: """
            SELECT content ->> 'operation', count(*)
            FROM hosted_entry
            WHERE device_id = $1 AND list_id = $2 AND NOT applied
            GROUP BY content ->> 'operation'
            """)

    static let ofPages = [uploadPage, toApplyPage, rejectedPage, counts, toApplyCounts]
}
