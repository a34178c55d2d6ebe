import TrolleyPostgres

/// SQL about what devices say of themselves.
enum ReportSQL {
    // Writes only what is new, or is to be seen as recent: most syncs find nothing new and must cost no write. What is
    // there is read first, because ON CONFLICT alone would lock the row whether it changes it or not.
    static let keep = Statement(
        name: "report_keep",
        sql: """
            INSERT INTO device_report (device_id, report, positions, held, content_hash, reported_at)
            SELECT $1, $2, $3, $4, $5, clock_timestamp()
            WHERE NOT EXISTS (
                SELECT FROM device_report
                WHERE device_id = $1 AND content_hash = $5 AND reported_at > clock_timestamp() - interval '5 minutes')
            ON CONFLICT (device_id) DO UPDATE
            SET report = EXCLUDED.report, positions = EXCLUDED.positions, held = EXCLUDED.held,
                content_hash = EXCLUDED.content_hash, reported_at = EXCLUDED.reported_at
            RETURNING device_id
            """)

    static let all = [keep]
}
