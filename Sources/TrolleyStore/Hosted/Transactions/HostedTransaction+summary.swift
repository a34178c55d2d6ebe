import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

// A list's summary: its name, and the time of its latest change. It is stored with the list, so that it can be read
// without folding the list. It covers the changes up to `summed_through`, and is updated with every received or queued
// change.

extension HostedTransaction {
    /// The list with its summary. Computes the summary if an earlier version, which had none, has written the list.
    func summed(_ list: HostedListRow) async throws -> HostedListRow {
        if list.isSummed { return list }
        var list = list
        (list.name, list.latest) = try await sum(list.id)
        list.isSummed = true
        return list
    }

    /// Computes a list's summary from the few entries that determine it.
    @discardableResult
    func sum(_ list: ListID) async throws -> (name: String?, latest: Timestamp?) {
        let before = reservation.count
        defer { reservation.shrink(to: before) }
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
