import TrolleyJournal
import TrolleyPostgres
import TrolleySync
import TrolleyWire

// Storing the result of a fetch.

extension HostedTransaction {
    /// Stores a list's page.
    /// - Returns: the plan with its counts, and whether the device did not have the list.
    func receive(
        _ list: AllChangesResponse.List, at now: Timestamp
    ) async throws -> (plan: ReceivingPlan, isNew: Bool) {
        let isNew = try await !run(HostedQueueSQL.insertList, list.id, [true]).isEmpty
        return (try await carryOut(list.page, in: try await lock(list.id), at: now), isNew)
    }

    /// Stores that a list has no page.
    /// - Returns: what was done, nil for nothing, and the number of unsent entries that were moved to the rejected ones.
    func receive(
        _ end: ReceivedEnd, of list: ListID, at now: Timestamp
    ) async throws -> (step: EndStep?, keptAside: Int) {
        guard let row = try await lockIfThere(list), let step = end.step(for: row.receiving) else { return (nil, 0) }
        switch step {
        case .fetchAfresh:
            try await run(HostedQueueSQL.unstage, list)
            try await run(HostedQueueSQL.forgetToken, list)
            return (step, 0)
        case .leave(let reason): return (step, try await remove(row, because: reason, at: now))
        case .offerAgain, .keepHere, .makeAnew: return (nil, 0)
        }
    }

    /// - Returns: the plan, with its counts.
    private func carryOut(
        _ page: ChangesPage, in list: HostedListRow, at now: Timestamp
    ) async throws -> ReceivingPlan {
        var plan = ReceivingPlan(storing: page, in: list.receiving)
        var applied: Set<EntryID> = []
        var brought: [EntryID] = []
        var latest: Timestamp?
        var mustSum = false
        for step in plan.steps {
            switch step {
            case .unstage: try await run(HostedQueueSQL.unstage, list.id)
            case .stage:
                let contents = page.changes.map { change in PostgresJSON(writing: change.write(to:)) }
                try await run(HostedQueueSQL.stage, list.id, [page.changes.map(\.sequence), contents])
            case .clear:
                applied = Set(try await ids(HostedQueueSQL.clearEntries, list.id))
                mustSum = true
            case .take:
                latest = page.changes.latest
                mustSum = page.changes.contains(where: \.isRename)
                try await take(page.changes, into: list.id, by: &plan)
            case .takeStaged: (brought, latest) = try await takeStaged(list.id, applied: applied, by: &plan)
            case .reoffer:
                try await run(
                    HostedQueueSQL.reoffer, list.id, [now.advanced(byMilliseconds: -reofferWindow), brought])
            case .pass:
                _ = try await connection.pipeline([
                    .execute(HostedQueueSQL.pass, [device, list.id, plan.through]),
                    .execute(HostedQueueSQL.setThrough, [device, list.id, plan.through, latest]),
                ])
                if mustSum { try await sum(list.id) }
            case .keep:
                try await run(HostedQueueSQL.setToken, list.id, [page.token, plan.isStaging, now])
            case .compare:
                plan.differs = try await digest(of: list.id) != page.expectedDigest
                if plan.differs { try await run(HostedQueueSQL.forgetToken, list.id) }
            }
        }
        return plan
    }

    /// The digest of all received entries.
    private func digest(of list: ListID) async throws -> StateDigest {
        let before = reservation.count
        defer { reservation.shrink(to: before) }
        return ListState(folding: try await confirmed(in: list).map(\.entry)).digest
    }

    /// - Returns: the ids of the snapshot's entries, also of those that it compresses, and the time of its latest change.
    private func takeStaged(
        _ list: ListID, applied: Set<EntryID>, by plan: inout ReceivingPlan
    ) async throws -> ([EntryID], latest: Timestamp?) {
        let before = reservation.count
        defer { reservation.shrink(to: before) }
        let changes = try await run(HostedQueueSQL.staged, list, sizedBy: HostedQueueSQL.sizeOfStaged).map { row in
            try Change(column: try row.decode(String.self, at: 0))
        }
        try await take(changes, into: list, applied: applied, by: &plan)
        return (changes.compactMap(\.entry?.id), changes.latest)
    }

    /// - Parameter applied: entries that were applied before the list was cleared.
    private func take(
        _ changes: [Change], into list: ListID, applied: Set<EntryID> = [], by plan: inout ReceivingPlan
    ) async throws {
        let net = NetChanges(changes)
        let received = changes.compactMap(\.entry)
        let own = Set(try await retire(received, in: list))
        var shown: Set<EntryID> = []
        for change in changes {
            let entry = change.entry?.id
            let isApplied = plan.take(
                change, isOwn: entry.map(own.contains) ?? false, wasApplied: entry.map(applied.contains) ?? false)
            if isApplied, let entry { shown.insert(entry) }
        }
        if !net.discarded.isEmpty { try await run(HostedQueueSQL.deleteEntries, list, [Array(net.discarded)]) }
        var entries = net.entries
        if !net.anchors.isEmpty {
            for row in try await run(HostedQueueSQL.entriesByID, list, [Array(net.anchors.keys)]) {
                var entry = try ConfirmedEntry(content: try row.decode(String.self, at: 0))
                if let after = net.anchors[entry.entry.id] { entry.entry.after = after }
                entries.append(entry)
            }
        }
        if !entries.isEmpty {
            _ = try await connection.execute(
                putting(entries, in: list, applied: entries.map { shown.contains($0.entry.id) }))
        }
        if let share = net.share {
            try await run(HostedQueueSQL.setShare, list, [PostgresJSON(writing: share.write(to:))])
        }
    }

    /// Retires the device's own entries that have come back, and dismisses rejected ones that have arrived all the same.
    /// - Returns: the ids of the own entries.
    private func retire(_ received: [JournalEntry], in list: ListID) async throws -> [EntryID] {
        let received = Dictionary(received.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let ids = Array(received.keys)
        let answers = try await connection.pipeline([
            .execute(HostedQueueSQL.retire, [device, list, ids]),
            .execute(HostedQueueSQL.rejectedAmong, [device, list, ids]),
        ])
        var arrived: [EntryID] = []
        for row in answers[1] {
            let id = try row.decode(EntryID.self, at: 0)
            let entry = try JournalEntry(content: try row.decode(String.self, at: 1))
            if received[id].map({ RejectedEntry.hasArrived(entry, as: $0) }) == true { arrived.append(id) }
        }
        if !arrived.isEmpty { try await run(HostedQueueSQL.dismissArrived, list, [arrived]) }
        return try answers[0].map { try $0.decode(EntryID.self, at: 0) }
    }

    /// The entry ids that a statement returns.
    private func ids(
        _ statement: Statement, _ list: ListID, _ binds: [any PostgresEncodable] = []
    ) async throws -> [EntryID] {
        try await run(statement, list, binds).map { try $0.decode(EntryID.self, at: 0) }
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

    /// The statement that deletes the device's own entries that came back too long ago to be offered again.
    static func forgettingRetired(of device: DeviceID, at now: Timestamp) -> Query {
        .execute(HostedQueueSQL.forgetRetired, [device, now.advanced(byMilliseconds: -reofferWindow)])
    }

    /// Removes the list from the device. Its unsent entries become rejected ones.
    /// - Returns: the number of unsent entries.
    private func remove(_ list: HostedListRow, because reason: ListGoneReason, at now: Timestamp) async throws -> Int {
        let unsent = try await waiting(in: list.id, limit: .max)
        let refused = unsent.map { Settlement.Refused(entry: $0.entry.id, code: .listDeleted, detail: reason.sentence) }
        try await reject(refused, in: list, at: now)
        try await run(HostedQueueSQL.deleteList, list.id)
        return unsent.count
    }
}

extension HostedListRow {
    /// The list's state before a fetch.
    fileprivate var receiving: ReceivingList {
        ReceivingList(token: token, isStaging: staging, through: through, isPublished: isPublished)
    }
}

extension Change {
    fileprivate var entry: JournalEntry? {
        if case .entry(let entry) = body { entry.entry } else { nil }
    }

    fileprivate var isRename: Bool { entry?.operation == .renameList }
}

extension [Change] {
    /// The time of the latest of its entries.
    fileprivate var latest: Timestamp? {
        lazy.compactMap { change in if case .entry(let entry) = change.body { entry.madeAt } else { nil } }.max()
    }
}
