import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyWire

// Storing the result of a fetch.

extension HostedTransaction {
    func receive(_ response: AllChangesResponse, at now: Timestamp) async throws -> FetchOutcome {
        var fetchOutcome = FetchOutcome()
        for list in response.lists {
            let isNew = try await !run(HostedQueueSQL.insertList, list.id, [true]).isEmpty
            let row = try await lock(list.id)
            if isNew { fetchOutcome.news += 1 }
            if row.token != list.page.token || !list.page.changes.isEmpty { fetchOutcome.progressed = true }
            fetchOutcome.news += try await receive(list.page, into: row, at: now)
            for case .discard(let ids, _) in list.page.changes.lazy.map(\.body) { fetchOutcome.discarded += ids.count }
            if try await differs(list.id, from: list.page) {
                try await run(HostedQueueSQL.forgetToken, list.id)
                fetchOutcome.differing += 1
                fetchOutcome.progressed = true
            }
        }
        for list in response.expired {
            guard let row = try await lockIfThere(list), row.token != nil else { continue }
            // The next fetch brings a snapshot, and so shows what the service has lost.
            try await run(HostedQueueSQL.unstage, list)
            try await run(HostedQueueSQL.forgetToken, list)
            fetchOutcome.expired += 1
            fetchOutcome.progressed = true
        }
        for (list, reason) in response.gone.sorted(by: { $0.key < $1.key }) {
            guard let row = try await lockIfThere(list) else { continue }
            fetchOutcome.keptAside += try await remove(row, because: reason, at: now)
            fetchOutcome.news += 1
            fetchOutcome.progressed = true
        }
        _ = try await connection.execute(forgettingRetired(at: now))
        return fetchOutcome
    }

    /// Compares the list's digest with the service's.
    private func differs(_ list: ListID, from page: ChangesPage) async throws -> Bool {
        guard let digest = page.expectedDigest else { return false }
        let before = reservation.count
        defer { reservation.shrink(to: before) }
        return ListState(folding: try await confirmed(in: list).map(\.entry)).digest != digest
    }

    /// - Returns: the number of changes that are new to the person.
    private func receive(_ page: ChangesPage, into list: HostedListRow, at now: Timestamp) async throws -> Int {
        var news = 0
        let isStaging = list.staging || page.snapshot
        if isStaging {
            // A snapshot replaces the device's data only when all of its pages are here.
            if list.token == nil || !list.staging { try await run(HostedQueueSQL.unstage, list.id) }
            let contents = page.changes.map { change in PostgresJSON(writing: change.write(to:)) }
            try await run(HostedQueueSQL.stage, list.id, [page.changes.map(\.sequence), contents])
            if !page.moreComing { news = try await replace(list, at: now) }
        } else if !page.changes.isEmpty {
            let own = try await take(page.changes, into: list, knowing: [])
            news = page.changes.count { $0.isNews(after: list.through, own: own) }
            try await pass(
                max(list.through, page.changes.last?.sequence ?? .start), latest: page.changes.latest, in: list.id)
            if page.changes.contains(where: \.isRename) { try await sum(list.id) }
        }
        try await run(HostedQueueSQL.setToken, list.id, [page.token, isStaging && page.moreComing, now])
        return news
    }

    /// Replaces the list with the staged snapshot.
    private func replace(_ list: HostedListRow, at now: Timestamp) async throws -> Int {
        let before = reservation.count
        defer { reservation.shrink(to: before) }
        let known = Set(
            try await run(HostedQueueSQL.appliedIDs, list.id).map { try $0.decode(EntryID.self, at: 0) })
        let changes = try await run(HostedQueueSQL.staged, list.id, sizedBy: HostedQueueSQL.sizeOfStaged).map { row in
            try Change(column: try row.decode(String.self, at: 0))
        }
        try await run(HostedQueueSQL.clearEntries, list.id)
        try await run(HostedQueueSQL.unstage, list.id)
        // Entries that were acknowledged before needn't be acknowledged again.
        let own = try await take(changes, into: list, knowing: known)
        try await run(HostedQueueSQL.reoffer, list.id, [now.advanced(byMilliseconds: -reofferWindow)])
        try await pass(changes.last?.sequence ?? .start, latest: changes.latest, in: list.id)
        try await sum(list.id)
        return changes.count { change in
            guard case .entry(let entry) = change.body else { return false }
            return !own.contains(entry.entry.id) && !known.contains(entry.entry.id)
        }
    }

    /// - Parameter known: entries that were applied before.
    /// - Returns: the device's own entries among them.
    private func take(
        _ changes: [Change], into list: HostedListRow, knowing known: Set<EntryID>
    ) async throws -> Set<EntryID> {
        let net = NetChanges(changes)
        var entries = net.entries
        let own = Set(
            try await run(HostedQueueSQL.retire, list.id, [changes.entryIDs]).map { try $0.decode(EntryID.self, at: 0) }
        )
        if !net.discarded.isEmpty {
            try await run(HostedQueueSQL.deleteEntries, list.id, [Array(net.discarded)])
        }
        if !net.anchors.isEmpty {
            for row in try await run(HostedQueueSQL.entriesByID, list.id, [Array(net.anchors.keys)]) {
                var entry = try ConfirmedEntry(content: try row.decode(String.self, at: 0))
                if let after = net.anchors[entry.entry.id] { entry.entry.after = after }
                entries.append(entry)
            }
        }
        if !entries.isEmpty {
            let applied = entries.map { own.contains($0.entry.id) || known.contains($0.entry.id) }
            _ = try await connection.execute(putting(entries, in: list.id, applied: applied))
        }
        if let share = net.share {
            try await run(HostedQueueSQL.setShare, list.id, [PostgresJSON(writing: share.write(to:))])
        }
        return own
    }

    /// The statements that store received entries of a list.
    /// - Parameter applied: for each entry, whether it is applied already.
    func putting(_ entries: [ConfirmedEntry], in list: ListID, applied: [Bool]) -> Query {
        .execute(
            HostedQueueSQL.putEntries,
            [
                device, list, entries.map(\.entry.id), entries.map(\.sequence),
                entries.map { entry in PostgresJSON(writing: entry.write(to:)) }, applied,
            ])
    }

    /// The statements that delete the device's own entries that came back too long ago to be offered again.
    func forgettingRetired(at now: Timestamp) -> Query {
        .execute(HostedQueueSQL.forgetRetired, [device, now.advanced(byMilliseconds: -reofferWindow)])
    }

    /// - Parameter latest: the time of the latest of the changes.
    private func pass(_ through: SequenceNumber, latest: Timestamp?, in list: ListID) async throws {
        _ = try await connection.pipeline([
            .execute(HostedQueueSQL.pass, [device, list, through]),
            .execute(HostedQueueSQL.setThrough, [device, list, through, latest]),
        ])
    }

    /// Removes the list from the device. Its unsent entries become rejected ones.
    /// - Returns: the number of unsent entries.
    private func remove(_ list: HostedListRow, because reason: ListGoneReason, at now: Timestamp) async throws -> Int {
        let unsent = try await waiting(in: list.id, limit: .max)
        let refused = unsent.map { Refusal(entry: $0.entry.id, code: .listDeleted, detail: reason.sentence) }
        try await reject(refused, in: list, at: now)
        try await run(HostedQueueSQL.deleteList, list.id)
        return unsent.count
    }
}

extension Change {
    fileprivate func isNews(after through: SequenceNumber, own: Set<EntryID>) -> Bool {
        switch body {
        case .entry(let entry): !own.contains(entry.entry.id) && sequence > through
        case .share: sequence > through
        case .discard: false
        }
    }

    fileprivate var isRename: Bool {
        if case .entry(let entry) = body { entry.entry.operation == .renameList } else { false }
    }
}

extension [Change] {
    fileprivate var entryIDs: [EntryID] {
        compactMap { change in if case .entry(let entry) = change.body { entry.entry.id } else { nil } }
    }

    /// The time of the latest of its entries.
    fileprivate var latest: Timestamp? {
        lazy.compactMap { change in if case .entry(let entry) = change.body { entry.madeAt } else { nil } }.max()
    }
}
