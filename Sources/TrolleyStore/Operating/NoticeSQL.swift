import TrolleyPostgres

/// SQL about what services have noticed.
enum NoticeSQL {
    static let note = Statement(
        name: "notice_note",
        sql: """
            INSERT INTO notice (name, detail)
            VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET detail = EXCLUDED.detail, noticed_at = EXCLUDED.noticed_at
            """)

    /// The detail of what was noticed within a week.
    static let recent = Statement(
        name: "notice_recent",
        sql: "SELECT detail, noticed_at FROM notice WHERE name = $1 AND noticed_at > now() - interval '7 days'")

    static let all = [note, recent]
}

extension Store {
    /// Writes down what an operator should know, for ``Doctor``. The newest of a kind replaces the one before.
    /// - Parameter detail: nothing that people wrote.
    public func note(_ notice: Notice, _ detail: String) async throws(StoreError) {
        try await execute(NoticeSQL.note, [notice.rawValue, detail])
    }
}

/// Something that a service notices in what it is asked, and that only an operator can mend.
public enum Notice: String, Sendable, CaseIterable {
    /// Forwarding headers that are not believed: a reverse proxy is not named, or names clients in the other header.
    case forwarding
}
