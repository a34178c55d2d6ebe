package import TrolleyJournal
import TrolleyPostgres
package import TrolleySync
package import TrolleyWire

extension HostedQueueStore {
    /// A list's state, and the number of its waiting entries.
    /// - Throws: `.noSuchList`, also when the account is not on the list; `.notFetched`, `.tooLong`.
    package func shown(_ list: ListID) async throws(HostedChangeError) -> HostedState {
        try await reading { transaction in
            guard try await transaction.find(list, for: account).isFetched else { throw HostedChangeError.notFetched }
            let toApply = try await transaction.run(HostedQueueSQL.sizeOfWaitingEntries, list).first
            let (_, waiting, _, _) = try await transaction.run(HostedQueueSQL.countWaiting, list)[0].decode(
                (Int, Int, Int, Int).self)
            return HostedState(
                id: list, state: try await transaction.state(of: list), waiting: waiting,
                toApply: try toApply?.decode(at: 0) ?? 0)
        }
    }

    /// Both queues of the lists that the account is on, and the rejected entries: the counts of all entries, and the first
    /// entries of each of the three, at most `limit` and about 2 MiB.
    package func queues(limit: Int) async throws(HostedChangeError) -> HostedQueues {
        let known = try await typed { try await shownLists() }
        return try await reading { transaction in
            var lists: [HostedQueues.List] = []
            for list in known.lists {
                let name = try await list.isKnown ? list.name : transaction.sum(list.id).name
                lists.append(HostedQueues.List(id: list.id, name: name))
            }
            let ids = lists.map(\.id)
            let answers = try await transaction.connection.pipeline([
                .execute(HostedDeviceSQL.retryState, [device]), .execute(HostedQueueSQL.counts, [device, ids]),
                .execute(HostedQueueSQL.uploadPage, [device, limit, ids]),
                .execute(HostedQueueSQL.toApplyPage, [device, limit, ids]),
                .execute(HostedQueueSQL.rejectedPage, [device, limit]),
            ])
            let places = Dictionary(uniqueKeysWithValues: zip(ids, lists.indices))
            for row in answers[1] {
                let (list, isUpload, name, count) = try row.decode((ListID, Bool, String, Int).self)
                guard let place = places[list] else { continue }
                let operation = Operation(rawValue: name) ?? .unknown
                if isUpload {
                    lists[place].upload.counts[operation, default: 0] += count
                } else {
                    lists[place].toApply.counts[operation, default: 0] += count
                }
            }
            for row in answers[2] {
                let (list, _, content, _) = try row.decode((ListID, Int64, String, Int).self)
                guard let place = places[list] else { continue }
                lists[place].upload.entries.append(try JournalEntry(content: content))
            }
            for row in answers[3] {
                let (list, _, content, _) = try row.decode((ListID, Int64, String, Int).self)
                guard let place = places[list] else { continue }
                lists[place].toApply.entries.append(try ConfirmedEntry(content: content).entry)
            }
            let retryState = try RetryState(column: try answers[0].first?.decode(String?.self, at: 0) ?? nil)
            var queues = HostedQueues(
                lists: lists, nextTry: retryState.nextTry ?? retryState.lists?.map(\.nextTry).min())
            for row in answers[4] {
                let (_, list, name, content, code, detail, at, total) = try row.decode(
                    (Int64, ListID, String?, String, String, String?, Timestamp, Int).self)
                queues.rejected.append(
                    HostedQueues.Rejected(
                        list: list, listName: name, entry: try JournalEntry(content: content),
                        code: ProblemCode(word: code), detail: detail, at: at))
                queues.rejectedCount = total
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

    /// Received entries that are not acknowledged, of the lists that the account is on, list by list, each in stream order; at
    /// most `limit` and about 2 MiB.
    package func toApply(limit: Int) async throws(HostedChangeError) -> HostedToApply {
        let known = try await typed { try await shownLists() }
        return try await reading { transaction in
            var answer = HostedToApply(entries: [], total: 0)
            let rows = try await transaction.connection.execute(
                HostedQueueSQL.toApplyPage, [device, limit, known.lists.map(\.id)])
            for row in rows {
                let (list, _, content, total) = try row.decode((ListID, Int64, String, Int).self)
                answer.entries.append(HostedToApply.Element(list: list, entry: try ConfirmedEntry(content: content)))
                answer.total = total
            }
            return answer
        }
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
    /// - Parameter last: the last one to delete, in the order of ``queues(limit:)``; nothing is deleted if there is no such entry.
    ///   nil: all.
    package func dismissRejected(through last: EntryID? = nil) async throws(QueueStoreError) {
        try await transaction { _ = try await $0.connection.execute(HostedQueueSQL.dismiss, [device, last]) }
    }
}
