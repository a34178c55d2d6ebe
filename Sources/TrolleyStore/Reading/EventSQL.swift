import TrolleyPostgres
import TrolleyWire

/// SQL about what a list's stream holds besides entries.
enum EventSQL {
    // From the list's row, which is there: without a table, Citus would take the rows to the coordinator first.
    static let insert = Statement(
        name: "event_insert",
        sql: """
            INSERT INTO event (list_id, sequence, change)
            SELECT list.id, new.*
            FROM list
            CROSS JOIN unnest($2::bigint[], $3::json[]) AS new
            WHERE list.id = $1
            """)

    static func insert(_ changes: [Change], into list: LockedList) -> Query {
        .execute(insert, [list.id, changes.map(\.sequence), changes.map(\.column)])
    }

    static let all = [insert]
}

extension Change {
    /// As it stands in the `change` column.
    var column: PostgresJSON {
        var writer = JSONWriter()
        write(to: &writer)
        return PostgresJSON(String(decoding: writer.bytes, as: UTF8.self))
    }

    init(column: String) throws(PostgresError) {
        do {
            self = try JSONReader.read(column.utf8) { (reader) throws(WireError) in try Change(from: &reader) }
        } catch {
            throw PostgresError(.decoding, "an event in the database can't be read")
        }
    }
}
