import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// SQL about what a list's stream holds besides entries.
enum EventSQL {
    // From the lists' rows, which are there: without a table, Citus would take the rows to the coordinator first. $4 is the
    // list, where there is one: then Citus asks its shard alone.
    static let insert = Statement(
        name: "event_insert",
        sql: """
            INSERT INTO event (list_id, sequence, change)
            SELECT list.id, new.sequence, new.change
            FROM unnest($1::uuid[], $2::bigint[], $3::json[]) AS new (list_id, sequence, change)
            JOIN list ON list.id = new.list_id
            WHERE $4::uuid IS NULL OR list.id = $4
            """)

    static func insert(_ changes: [(list: ListID, change: Change)]) -> Query {
        let lists = changes.map(\.list)
        return .execute(
            insert,
            [
                lists, changes.map(\.change.sequence), changes.map(\.change.column),
                Set(lists).count == 1 ? lists[0] : nil,
            ])
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
