import TrolleyPostgres

/// SQL about notices: conditions that services report for the operator.
enum NoticeSQL {
    static let note = Statement(
        name: "notice_note",
        sql: """
            INSERT INTO notice (name, detail)
            VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET detail = EXCLUDED.detail, noticed_at = EXCLUDED.noticed_at
            """)

    /// The detail of a notice, if it was recorded within a week.
    static let recent = Statement(
        name: "notice_recent",
        sql: "SELECT detail, noticed_at FROM notice WHERE name = $1 AND noticed_at > now() - interval '7 days'")

    static let all = [note, recent]
}

extension Store {
    /// Records a notice for ``Doctor``. It replaces the previous notice of the same kind.
    /// - Parameter detail: must not contain text that people wrote.
    package func note(_ notice: OperatorNotice, _ detail: String) async throws(StoreError) {
        try await execute(NoticeSQL.note, [notice.rawValue, detail])
    }
}

/// A condition that a service notices in its requests and that only an operator can fix.
package enum OperatorNotice: String, Sendable, CaseIterable {
    /// Forwarding headers are not trusted: the reverse proxy is not configured, or it uses the other header.
    case forwarding
    /// A reverse proxy drops the headers of requests to upgrade, so no WebSocket opens.
    case upgrade
}
