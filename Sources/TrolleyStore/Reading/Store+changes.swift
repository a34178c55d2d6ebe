package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// The new changes of an account's lists.
package struct AllChanges: Sendable {
    /// Every list that the account is on, oldest first, including those without new changes.
    package var changeRanges: [ChangeRange]
    /// Requested lists that the account is not on.
    package var gone: [ListID: ListGoneReason]
    /// Those of them that the account was never on, as far as this database knows.
    package var unknown: Set<ListID> = []
    /// Requested lists on an unreachable node. The answer says nothing about them or other lists there.
    package var unreachable: Set<ListID> = []
    /// The hash of the device's last report, if it is known and recent.
    var report: [UInt8]?
}

extension Store {
    /// The changes of a list that follow `after`, at most `limit`.
    /// - Throws: `.notOnList`, `.gone`.
    package func changes(
        of list: ListID, for account: AccountID, after: SequenceNumber, limit: Int
    ) async throws(StoreError) -> ChangeRange {
        var isShort = false
        // A device that has the beginning of a list usually lacks little; many such requests share one statement.
        if replica == nil, after > .start, try await nodes() == nil {
            let question = ChangesLookup(account: account, list: list, after: after)
            switch try await batchedReads.changeRange(question) {
            case var changeRange? where changeRange.isReached:
                changeRange.truncate(to: limit)
                return changeRange
            case nil: throw try await membershipError(of: account, from: list)
            case let changeRange?:
                isShort = changeRange.head.rawValue - after.rawValue <= Self.maxQuickChanges
            }
        }
        let read = { () async throws -> ChangeRange in
            let reservation = try isShort ? reserve(0, for: account) : reservePage(for: account)
            var changeRange = try await self.read(list, for: account) { pool in
                if let changeRange = try await pool.changeRange(of: list, for: account, after: after, limit: limit) {
                    return changeRange
                }
                throw try await pool.membershipError(of: account, from: list)
            } position: {
                $0.position
            }
            if try reservation.resizeToPage(changeRange.stored.memory) { changeRange.stored.count(to: reservation) }
            return changeRange
        }
        return isShort
            ? try await withShortReadTurn(for: account, read)
            : try await withReadTurn(for: account, on: list, read)
    }

    /// Answers up to this many bytes are not counted.
    static let maxUncountedBytes = 64 << 10
    /// The number of changes that are read without waiting for a turn.
    static let maxQuickChanges = 128

    /// The new changes of all lists of an account: at most `limit` for a list, and not many more in total. Lists that
    /// `after` doesn't name are answered from their beginning.
    /// - Parameters:
    ///   - device: the device that asks, if it reports its queues.
    ///   - afresh: lists that are not in `after`, and for which the answer also says whether they are gone.
    package func changes(
        for account: AccountID, device: DeviceID? = nil, after: [ListID: SequenceNumber], afresh: [ListID] = [],
        limit: Int
    ) async throws(StoreError) -> AllChanges {
        if let nodes = try await self.nodes() {
            let named = Set(after.keys).union(afresh)
            let all = try await nodes.changes(for: account, device: device, after: after, named: named, limit: limit)
            return try await addingDepartures(to: all, for: account, named: named)
        }
        var all = AllChanges(changeRanges: [], gone: [:])
        var isShort = false
        if replica == nil, let device, !after.isEmpty, afresh.isEmpty,
            let heads = try await batchedReads.heads(Session(account: account, device: device))
        {
            all.report = heads.report
            if heads.areMarked, heads.lists.count == after.count,
                heads.lists.allSatisfy({ after[$0.list] == $0.head })
            {
                all.changeRanges = heads.lists
                return all
            }
            isShort =
                heads.lists.reduce(0) { $0 + max(0, $1.head.rawValue - (after[$1.list] ?? .start).rawValue) }
                <= Self.maxQuickChanges
        }
        let read = { () async throws -> [ChangeRange] in
            let reservation = try isShort ? reserve(0, for: account) : reservePage(for: account)
            var changeRanges = try await self.changeRanges(for: account, after: after, limit: limit)
            // All lists' rows are in one answer.
            if try reservation.resizeToPage(changeRanges.map(\.stored.memory).max() ?? 0) {
                for index in changeRanges.indices { changeRanges[index].stored.count(to: reservation) }
            }
            try await self.readLarge(&changeRanges, for: account, after: after, limit: limit)
            return changeRanges
        }
        all.changeRanges =
            isShort
            ? try await shortRead(read) : try await withReadTurn(for: account, read)
        return try await addingDepartures(to: all, for: account, named: Set(after.keys).union(afresh))
    }

    /// Takes the memory of a page before it is read.
    /// - Throws: `.overloaded`.
    private func reservePage(for account: AccountID) throws(StoreError) -> ReadReservation {
        try reserve(min(ChangeSQL.memoryOfPage, memory.share), for: account)
    }

    /// Reads a list's changes, whose memory is held before libpq holds them.
    /// - Returns: nil: the account isn't on the list.
    /// - Throws: `StoreError.overloaded`, `StoreError.tooLong`; `PostgresError`.
    func readPage(
        of list: ListID, for account: AccountID, after: SequenceNumber, limit: Int
    ) async throws -> ChangeRange? {
        let reservation = try reservePage(for: account)
        let found = try await topology.onNode(of: list) { pool in
            try await pool.changeRange(of: list, for: account, after: after, limit: limit)
        }
        guard var page = found else { return nil }
        if try reservation.resizeToPage(page.stored.memory) { page.stored.count(to: reservation) }
        return page
    }

    /// Reads the lists whose next change is too large to be read together with other lists, until a page's bytes are used
    /// up; the remaining ones are not reached.
    private func readLarge(
        _ changeRanges: inout [ChangeRange], for account: AccountID, after: [ListID: SequenceNumber], limit: Int
    ) async throws {
        var bytes = 0
        for index in changeRanges.indices where changeRanges[index].stored.isCut && changeRanges[index].stored.isEmpty {
            let list = changeRanges[index].list
            changeRanges[index].isReached = false
            guard bytes < ChangeSQL.eventBytesOfPage else { continue }
            let page: ChangeRange?
            do {
                page = try await readPage(of: list, for: account, after: after[list] ?? .start, limit: limit)
            } catch let error as StoreError {
                // One list doesn't keep the device from the others. It asks again for this one.
                if changeRanges.contains(where: { !$0.stored.isEmpty }) { continue }
                throw error
            }
            guard let page else { continue }
            bytes += page.stored.memory
            changeRanges[index] = page
        }
    }

    /// Adds the requested lists that the account is not on.
    private func addingDepartures(
        to all: AllChanges, for account: AccountID, named: Set<ListID>
    ) async throws(StoreError) -> AllChanges {
        var all = all
        let absent = named.subtracting(all.changeRanges.map(\.list)).subtracting(all.unreachable)
        guard !absent.isEmpty else { return all }
        let reasons = try await self.all(MemberSQL.departures, [account, Array(absent)]) { row throws(PostgresError) in
            try row.decode((ListID, ListGoneReason).self)
        }
        // A list that the account was never on gets the same reason as one that it left; only `unknown` tells them apart.
        all.gone = Dictionary(uniqueKeysWithValues: absent.map { ($0, .removed) })
        for (list, reason) in reasons { all.gone[list] = reason }
        all.unknown = absent.subtracting(reasons.map(\.0))
        return all
    }

    private func changeRanges(
        for account: AccountID, after: [ListID: SequenceNumber], limit: Int
    ) async throws(StoreError) -> [ChangeRange] {
        func read(_ pool: Pool) async throws -> [ChangeRange] {
            try await pool.changeRanges(for: account, after: after, limit: limit)
        }
        if let replica {
            let primary = try await positions(of: nil, for: account)
            // Usually nothing is new; then the primary's answer is complete.
            let isNews = primary.contains { list, position in after[list] != position.head }
            let found = isNews ? await replica.answer(read) { $0.areExactly(primary) } : nil
            if let found { return found }
        }
        return try await typed { try await read(pool) }
    }

    func membershipError(of account: AccountID, from list: ListID) async throws(StoreError) -> StoreError {
        let reason = try await first(MemberSQL.departure, [list, account]) { row throws(PostgresError) in
            try row.decode(ListGoneReason.self, at: 0)
        }
        return reason.map { .gone($0) } ?? .notOnList
    }
}

extension ChangeRange {
    var entries: [ConfirmedEntry] {
        get throws(StoreError) {
            try changes.compactMap { change in if case .entry(let entry) = change.body { entry } else { nil } }
        }
    }
}

extension ReadReservation {
    /// Reserves the bytes that a page takes, instead of what ``Store/reservePage(for:)`` took for it.
    /// - Returns: whether it is so much that it is counted.
    /// - Throws: `.overloaded`, `.tooLong`.
    fileprivate func resizeToPage(_ bytes: Int) throws(StoreError) -> Bool {
        try resize(to: bytes > Store.maxUncountedBytes ? bytes : 0)
        return count > 0
    }
}
