import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// What is known of a list without folding it: what it is called, and when the latest change in it was made. It stands with
// the list, is true for what was received up to `summed_through`, and follows whatever is received or queued.

extension HostedTransaction {
    /// The list, with what is known of it. That is worked out where a version wrote the list that didn't know of it.
    func summed(_ list: HostedListRow) async throws -> HostedListRow {
        if list.isSummed { return list }
        var list = list
        (list.name, list.latest) = try await sum(list.id)
        list.isSummed = true
        return list
    }

    /// Works out anew what is known of a list, from the few entries that say so.
    @discardableResult
    func sum(_ list: ListID) async throws -> (name: String?, latest: Timestamp?) {
        let before = holding.count
        defer { holding.shrink(to: before) }
        let confirmed = try await run(HostedQueueSQL.renames, list, sizedBy: HostedQueueSQL.sizeOfRenames).map { row in
            try ConfirmedEntry(content: try row.decode(String.self, at: 0))
        }
        let answers = try await connection.pipeline([
            .execute(HostedQueueSQL.pendingRenames, [device, list]), .execute(HostedQueueSQL.latest, [device, list]),
        ])
        let name = ListFold(folding: confirmed, pending: try answers[0].map(PendingEntry.init(row:))).name
        let latest = try answers[1].first?.decode(Timestamp?.self, at: 0) ?? nil
        let column = name.map { name in PostgresJSON { writer in writer.string(name) } }
        try await run(HostedQueueSQL.setSummary, list, [column, latest])
        return (name, latest)
    }
}
