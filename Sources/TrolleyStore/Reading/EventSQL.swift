import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// SQL about the other changes in a list's stream: discards, and states of the share (``ShareSQL``).
enum EventSQL {
    // Selects from the lists' rows: without a table, Citus would first send the rows to the coordinator. $4 is the list
    // if there is only one; then Citus asks only its shard.
    static let insert = Statement(
        name: "event_insert",
        sql: """
            INSERT INTO event (list_id, sequence, type, change, bytes)
            SELECT list.id, new.sequence, new.change ->> 'type', new.change, octet_length(new.change::text)
            FROM unnest($1::uuid[], $2::bigint[], $3::json[]) AS new (list_id, sequence, change)
            JOIN list ON list.id = new.list_id
            WHERE $4::uuid IS NULL OR list.id = $4
            """)

    /// The kind of an event. Only the change itself says it in rows that have no type yet (migration 37).
    static let type = "coalesce(event.type, event.change ->> 'type')"

    /// Assignments to a list's row after its newest change, an event, was stored: see ``ChangeSQL``.
    /// - Parameter list: the bind that names the list.
    static func mark(of head: String, in list: String) -> String {
        """
        mark_of = \(head),
        mark = (SELECT event.received_at FROM event WHERE event.list_id = \(list) AND event.sequence = \(head))
        """
    }

    static let all = [insert]
}

extension EventSQL {
    static func insert(_ changes: [(list: ListID, change: Change)]) -> Query {
        let lists = changes.map(\.list)
        return .execute(
            insert,
            [
                lists, changes.map(\.change.sequence), changes.map(\.change.column),
                Set(lists).count == 1 ? lists[0] : nil,
            ])
    }
}

extension Change {
    /// The event as it is stored in the `change` column.
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
