package import TrolleyJournal
import TrolleyPostgres
package import TrolleySync
package import TrolleyWire

extension HostedQueueStore {
    /// A list's state, and the number of its waiting entries.
    package func shown(_ list: ListID) async throws(HostedChangeError) -> HostedState {
        try await reading { transaction in
            _ = try await transaction.find(list)
            let toApply = try await transaction.run(HostedQueueSQL.sizeOfWaitingEntries, list).first
            return HostedState(
                id: list, state: try await transaction.state(of: list),
                waiting: try await transaction.waiting(in: list, limit: .max).count,
                toApply: try toApply?.decode(at: 0) ?? 0)
        }
    }

    /// Both queues, list by list, and the rejected entries.
    package func queues() async throws(HostedChangeError) -> HostedQueues {
        try await reading { transaction in
            let retryState = try await transaction.connection.execute(HostedDeviceSQL.retryState, [device])
            var queues = HostedQueues(
                lists: [],
                rejected: try await transaction.connection.execute(HostedQueueSQL.rejected, [device]).map { row in
                    let entry = try RejectedEntry(row: row)
                    return HostedQueues.Rejected(
                        list: entry.list, listName: entry.listName, entry: entry.entry, code: entry.code,
                        detail: entry.detail, at: entry.rejectedAt)
                },
                nextTry: try RetryState(column: try retryState.first?.decode(String?.self, at: 0) ?? nil).nextTry)
            for row in try await transaction.connection.execute(HostedQueueSQL.lists, [device]) {
                var list = try HostedListName(row: row)
                if !list.isKnown { list.name = try await transaction.sum(list.id).name }
                queues.lists.append(
                    HostedQueues.List(
                        id: list.id, name: list.name,
                        upload: try await transaction.waiting(in: list.id, limit: .max).map(\.entry),
                        toApply: try await transaction.toApply(in: list.id)))
            }
            return queues
        }
    }

    /// Records that the integration has handled summaries, and earlier ones of their lists.
    package func acknowledge(_ summaries: [SummaryPosition]) async throws(QueueStoreError) {
        if summaries.isEmpty { return }
        // Of several positions on a list, the last one holds.
        let through = Dictionary(summaries.map { ($0.list, $0.through) }, uniquingKeysWith: max)
        let lists = Array(through.keys)
        _ = try await transaction { transaction in
            try await transaction.connection.execute(
                HostedQueueSQL.acknowledgeSummaries, [device, lists, lists.compactMap { through[$0] }])
        }
    }

    /// Received entries that are not acknowledged, list by list, each in stream order; at most `limit`.
    package func toApply(limit: Int) async throws(QueueStoreError) -> HostedToApply {
        do {
            return try await store.withReadTurn(for: reader) {
                let rows = try await store.pool.withConnection {
                    try await $0.execute(HostedQueueSQL.toApply, [device, limit])
                }
                var answer = HostedToApply(entries: [], total: 0)
                for row in rows {
                    let (list, content, total) = try row.decode((ListID, String, Int).self)
                    answer.entries.append(
                        HostedToApply.Element(list: list, entry: try ConfirmedEntry(content: content)))
                    answer.total = total
                }
                return answer
            }
        } catch { throw QueueStoreError(error) }
    }

    /// Removes entries from the to-apply queue, because the integration has handled them. Repeating the call changes
    /// nothing.
    /// - Parameter list: the entries' list; nil: each list that has an entry with one of these ids.
    /// - Returns: the number of entries that were in the queue.
    package func acknowledge(_ entries: [EntryID], in list: ListID? = nil) async throws(QueueStoreError) -> Int {
        try await transaction { transaction in
            try await transaction.connection.execute(HostedQueueSQL.acknowledge, [device, entries, list]).affectedRows
        }
    }

    /// Deletes the rejected entries.
    package func dismissRejected() async throws(QueueStoreError) {
        try await transaction { _ = try await $0.connection.execute(HostedQueueSQL.dismiss, [device]) }
    }
}
