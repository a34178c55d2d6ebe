import TrolleyPostgres

/// SQL about devices' reports on their queues.
enum ReportSQL {
    /// A report younger than this is not rewritten without a change.
    static let freshness = "interval '5 minutes'"

    // Writes only a changed or outdated report, because most syncs change nothing and must not cost a write. Reads the
    // row first, because ON CONFLICT alone locks the row even if it changes nothing.
    static let keep = Statement(
        name: "report_keep",
        sql: """
            INSERT INTO device_report (device_id, report, positions, held, content_hash, reported_at)
            SELECT $1, $2, $3, $4, $5, clock_timestamp()
            WHERE NOT EXISTS (
                SELECT FROM device_report
                WHERE device_id = $1 AND content_hash = $5 AND reported_at > clock_timestamp() - \(freshness))
            ON CONFLICT (device_id) DO UPDATE
            SET report = EXCLUDED.report, positions = EXCLUDED.positions, held = EXCLUDED.held,
                content_hash = EXCLUDED.content_hash, reported_at = EXCLUDED.reported_at
            RETURNING device_id
            """)

    /// Records that entries wait on a device, or that none do.
    static let noteWaiting = Statement(
        name: "report_note_waiting",
        sql: "INSERT INTO waiting_device (device_id) VALUES ($1) ON CONFLICT (device_id) DO NOTHING")

    static let noteEmpty = Statement(
        name: "report_note_empty", sql: "DELETE FROM waiting_device WHERE device_id = $1")

    /// The entries that wait on all devices that have reported within a day, by queue and operation. Reads only the reports of
    /// devices on which something waits. Ignores unknown operations and sums beyond a bigint, because old reports were stored
    /// without a check.
    static let waiting = Statement(
        name: "report_waiting",
        sql: """
            SELECT queue.name, operation.key, least(sum(operation.value::numeric), 9223372036854775807)::bigint
            FROM waiting_device
            JOIN device_report ON device_report.device_id = waiting_device.device_id
            CROSS JOIN LATERAL (
                VALUES ('upload', report -> 'upload'), ('toApply', report -> 'toApply')) AS queue (name, counts)
            CROSS JOIN LATERAL jsonb_each_text(queue.counts) AS operation (key, value)
            WHERE reported_at > now() - interval '1 day' AND operation.key = ANY ($1)
            GROUP BY queue.name, operation.key
            """)

    /// The lists that an account's devices have reported.
    static let lists = Statement(
        name: "report_lists",
        sql: """
            SELECT DISTINCT jsonb_object_keys(device_report.positions)::uuid
            FROM device
            JOIN device_report ON device_report.device_id = device.id
            WHERE device.account_id = $1
            """)

    static let all = [keep, noteWaiting, noteEmpty, waiting, lists]
}
