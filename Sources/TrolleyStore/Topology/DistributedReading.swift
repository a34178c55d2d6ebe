import TrolleyJournal
import TrolleyPostgres

/// Reads the new changes of an account's lists, where lists are on several nodes.
///
/// One statement asks all nodes for the lists' heads. Then each list with new changes is read separately, from its
/// node. While a node is unreachable, its lists are reported as unreachable, and the others are read.
struct DistributedReading {
    let store: Store
    let account: AccountID
    let after: [ListID: SequenceNumber]
    let limit: Int

    /// A list of the account.
    private struct Head {
        let list: ListID
        let sequence: SequenceNumber
        /// The bytes of all its fields; nil where that wasn't asked for.
        var bytes: Int64?
        /// The answer for the list when there is nothing new; nil where the list's row doesn't have the mark of its head.
        var changeRange: ChangeRange?
    }

    /// - Parameter named: the lists that the device has.
    func changes(for device: DeviceID?, named: Set<ListID>) async throws(StoreError) -> AllChanges {
        var all = AllChanges(changeRanges: [], gone: [:])
        let heads: [Head]
        do throws(StoreError) {
            (heads, all.report) = try await allHeads(for: device)
        } catch  where error.isNodeAway {
            (heads, all.unreachable) = try await reachableHeads(named: named)
        }
        let news = heads.reduce(0) { $0 + max(0, self.news(of: $1)) }
        let read = { () async throws -> [ListID: ChangeRange?] in try await self.read(heads) }
        let found =
            news <= Int64(Store.maxQuickChanges)
            ? try await store.shortRead(read) : try await store.withReadTurn(for: account, read)
        for head in heads {
            guard let changeRange = found[head.list] else {
                if named.contains(head.list) { all.unreachable.insert(head.list) }
                continue
            }
            // nil: the account has left the list meanwhile.
            if let changeRange { all.changeRanges.append(changeRange) }
        }
        return all
    }

    private func news(of head: Head) -> Int64 { head.sequence.rawValue - (after[head.list] ?? .start).rawValue }

    // MARK: Heads

    private func allHeads(for device: DeviceID?) async throws(StoreError) -> ([Head], report: [UInt8]?) {
        try await store.typed {
            let answers = try await store.pool.withConnection { connection in
                try await connection.pipeline([
                    .execute(ChangeSQL.headsOfAccount, [account]), .execute(ChangeSQL.report, [device]),
                ])
            }
            let heads = try answers[0].map { row in
                let list = try row.decode(ListID.self, at: 0)
                let changeRange = try ChangeRange(list, row: row, from: 1)
                return Head(
                    list: list, sequence: changeRange.head, bytes: try row.decode(Int64.self, at: 6),
                    changeRange: try row.decode(Bool.self, at: 7) ? changeRange : nil)
            }
            return (heads, try answers[1].first?.decode(at: 0))
        }
    }

    private func reachableHeads(named: Set<ListID>) async throws(StoreError) -> ([Head], unreachable: Set<ListID>) {
        let found = try await store.topology.reachableHeads(of: [account])
        // Ids rise with time, so this is the order in which the lists were created.
        let heads = (found.heads[account] ?? [:]).sorted { $0.key < $1.key }.map {
            Head(list: $0.key, sequence: $0.value)
        }
        return (heads, try await store.topology.lists(named, in: found.unreachable))
    }

    // MARK: The lists

    /// Reads lists in turn until the limit is used up; of the remaining lists it returns only the heads.
    /// - Returns: nil for a list that the account has left; no element for an unreachable list.
    private func read(_ heads: [Head]) async throws -> [ListID: ChangeRange?] {
        var found: [ListID: ChangeRange?] = [:]
        var used: Int64 = 0
        for head in heads {
            let isReached = used < Int64(limit)
            used += weight(of: head)
            if let changeRange = changeRange(of: head, isReached: isReached) {
                found[head.list] = .some(changeRange)
                continue
            }
            do {
                do {
                    found.updateValue(try await read(head.list, limit: isReached ? limit : 0), forKey: head.list)
                } catch StoreError.tooLong where found.values.contains(where: { $0?.stored.isEmpty == false }) {
                    // One list doesn't keep the device from the others. It asks again for this one.
                    found.updateValue(try await read(head.list, limit: 0), forKey: head.list)
                }
            } catch let error as PostgresError where error.isNodeAway {
                // The list's node has just become unreachable.
            }
        }
        return found
    }

    /// - Parameter limit: 0: reads no changes.
    private func read(_ list: ListID, limit: Int) async throws -> ChangeRange? {
        let place = after[list] ?? .start
        let page =
            limit > 0
            ? try await store.readPage(of: list, for: account, after: place, limit: limit)
            : try await store.topology.onNode(of: list) { pool in
                try await pool.changeRange(of: list, for: account, after: place, limit: 0)
            }
        guard var changeRange = page else { return nil }
        changeRange.isReached = limit > 0 || changeRange.head <= place
        return changeRange
    }

    /// The answer for a list that need not be read; nil: it must be read.
    private func changeRange(of head: Head, isReached: Bool) -> ChangeRange? {
        guard var changeRange = head.changeRange else { return nil }
        let known = after[head.list]
        if let known, known >= head.sequence { return changeRange }
        if known == nil, head.sequence == .start { return changeRange }
        // The mark of the device's sequence is not known here. Only a list without a token needs none.
        guard !isReached, known == nil else { return nil }
        changeRange.isReached = false
        changeRange.isComplete = false
        return changeRange
    }

    /// The weight of a list's new changes. A large change counts as several.
    private func weight(of head: Head) -> Int64 {
        let news = news(of: head)
        let bytes = min(head.bytes ?? 0, news.multipliedReportingOverflow(by: ChangeSQL.largestChange).partialValue)
        return max(news, bytes / ChangeSQL.usualChange, 0)
    }
}
