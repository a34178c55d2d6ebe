package import TrolleyJournal
import TrolleyPostgres

/// SQL for the operator's page.
enum OperatorSQL {
    /// The largest lists, by the bytes of their journals.
    static let largestLists = Statement(
        name: "operator_largest_lists",
        sql: """
            SELECT
                list.id, list.bytes, list.live_entries, list.head, list.compressed_at,
                (SELECT count(*) FROM member WHERE member.list_id = list.id)
            FROM list
            WHERE list.deleted_at IS NULL
            ORDER BY list.bytes DESC, list.id
            LIMIT $1
            """)

    static let all = [largestLists]
}

/// A list as its service's operator sees it: what it takes, without its words.
package struct ListSize: Hashable, Sendable, Encodable {
    package let list: ListID
    /// Bytes of the fields of the entries in the journal, as JSON.
    package let bytes: Int64
    /// Entries in the journal.
    package let entries: Int64
    /// Changes that the list has lived through.
    package let changes: Int64
    package let people: Int64
    /// nil: never.
    package let compressedAt: Timestamp?
}

extension Store {
    /// The largest lists, the largest first.
    package func largestLists(limit: Int) async throws(StoreError) -> [ListSize] {
        try await all(OperatorSQL.largestLists, [limit]) { row throws(PostgresError) in
            let (list, bytes, entries, head, compressedAt, people) = try row.decode(
                (ListID, Int64, Int64, SequenceNumber, Timestamp?, Int64).self)
            return ListSize(
                list: list, bytes: bytes, entries: entries, changes: head.rawValue, people: people,
                compressedAt: compressedAt)
        }
    }

    /// What ``Doctor`` finds out about this store's database.
    /// - Parameter compressionAge: milliseconds after which entries are compressed.
    package func examine(compressionAge: Int64) async -> [Finding] {
        await Doctor(
            pool: pool, listening: signals?.database, compressionAge: compressionAge, clock: { Timestamp.now }
        ).examine()
    }

    /// Where the database is, without a password.
    package var location: String { pool.configuration.location }
}
