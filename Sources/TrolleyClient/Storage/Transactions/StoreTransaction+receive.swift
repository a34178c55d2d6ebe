import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Storing the result of a fetch.

extension StoreTransaction {
    func receive(_ response: AllChangesResponse, at now: Timestamp) throws -> FetchOutcome {
        var fetchOutcome = FetchOutcome()
        let leaving = Set(try leavingLists())
        for list in response.lists where !leaving.contains(list.id) {
            try makeWay(for: list.id, at: now)
            let isNew = try find(list.id) == nil
            let row = try insertList(list.id, published: true)
            if isNew { try forgetNotices(of: list.id) }
            let plan = try carryOut(
                ReceivingPlan(storing: list.page, in: try receiving(row)), of: list.page, in: row, at: now)
            fetchOutcome.note(list.page, stored: plan, isNew: isNew)
        }
        // Stores the choice, so that the current list doesn't change when a list leaves.
        if try value("current") == nil, let first = try currentList() { try set("current", to: first.data) }
        for (list, end) in response.ends {
            guard let row = try find(list) else { continue }
            let before = try receiving(row)
            guard let step = end.step(for: before) else { continue }
            var keptAside = 0
            switch step {
            case .fetchAfresh:
                try db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [row.key])
                try keep(before, after: step, of: row)
            case .offerAgain, .keepHere: try keepLost(before, by: step, of: row, at: now)
            case .makeAnew: _ = try rekey(row, at: now)
            case .leave(let reason): keptAside = try remove(row, because: reason, at: now)
            }
            fetchOutcome.note(end, step, keptAside: keptAside)
        }
        if let ownership = response.ownership { try keep(proofs: ownership) }
        try db.execute(
            sql: "DELETE FROM confirmed WHERE kept < ?", arguments: [now.milliseconds - reofferWindow])
        return fetchOutcome
    }

    /// Makes room for a list that the account joins: a copy that was kept for another account becomes a separate local
    /// list.
    func makeWay(for list: ListID, at now: Timestamp) throws {
        guard let row = try find(list), row.local, let former = row.former, former != row.account else { return }
        _ = try rekey(row, at: now)
    }

    /// - Parameter page: nil if the plan only replaces the list with what is staged.
    /// - Returns: the plan, with its counts.
    @discardableResult
    func carryOut(
        _ plan: ReceivingPlan, of page: ChangesPage? = nil, in list: ListRow, at now: Timestamp
    ) throws -> ReceivingPlan {
        let changes = page?.changes ?? []
        var plan = plan
        var applied: Set<Data> = []
        var brought: Set<Data> = []
        for step in plan.steps {
            switch step {
            case .unstage: try db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [list.key])
            case .stage: try stage(changes, of: list)
            case .clear: applied = try clear(list)
            case .take:
                let rejected = try rejectedIDs(of: list.id)
                for change in changes { try take(change, into: list, rejected: rejected, at: now, by: &plan) }
            case .takeStaged: brought = try takeStaged(list, applied: applied, at: now, by: &plan)
            case .reoffer: try reoffer(list, except: brought, at: now)
            case .pass:
                try pass(plan.through, in: list, at: now)
                if let owner = plan.owner, owner.proof != plan.list.owner?.proof { try keep(owner.proof, of: list) }
            case .keep:
                try db.execute(
                    sql: """
                        UPDATE list
                        SET token = ?, staging = ?, published = 1, local = 0, former = NULL, received = ?
                        WHERE key = ?
                        """, arguments: [page?.token, plan.isStaging, now.milliseconds, list.key])
            case .compare:
                plan.differs = try confirmed(of: list).digest != page?.expectedDigest
                if !plan.differs { break }
                try db.execute(
                    sql: "UPDATE list SET token = NULL, differed = differed + 1, differed_at = ? WHERE key = ?",
                    arguments: [now.milliseconds, list.key])
            }
        }
        return plan
    }

    private func stage(_ changes: [Change], of list: ListRow) throws {
        let insert = try db.makeStatement(
            sql: "INSERT OR REPLACE INTO staged (list, sequence, content) VALUES (?, ?, ?)")
        for change in changes {
            var writer = JSONWriter(capacity: 512)
            change.write(to: &writer)
            try insert.execute(arguments: [
                list.key, change.sequence.rawValue, key.seal(writer.bytes, at: list.id.bits.bytes),
            ])
        }
    }

    /// - Returns: the ids of the entries that were applied.
    private func clear(_ list: ListRow) throws -> Set<Data> {
        let applied = try Set(
            Data.fetchAll(db, sql: "SELECT id FROM entry WHERE list = ? AND applied = 1", arguments: [list.key]))
        try archivePurchases(of: list)
        try db.execute(sql: "DELETE FROM entry WHERE list = ?", arguments: [list.key])
        return applied
    }

    /// - Returns: the ids of the snapshot's entries, also of those that it compresses.
    private func takeStaged(
        _ list: ListRow, applied: Set<Data>, at now: Timestamp, by plan: inout ReceivingPlan
    ) throws -> Set<Data> {
        var brought: Set<Data> = []
        let rejected = try rejectedIDs(of: list.id)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT content FROM staged WHERE list = ? ORDER BY sequence", arguments: [list.key])
        while let row = try rows.next() {
            let json = try key.open(row[0], at: list.id.bits.bytes)
            let change = try JSONReader.read(json) { reader throws(WireError) in try Change(from: &reader) }
            if case .entry(let entry) = change.body { brought.insert(entry.entry.id.data) }
            try take(change, into: list, applied: applied, rejected: rejected, at: now, by: &plan)
        }
        // A restored service assigns sequences again that were read before, and has lost the later marks.
        try db.execute(
            sql: "UPDATE list SET read = min(read, ?), read_told = 0 WHERE key = ?",
            arguments: [plan.through.rawValue, list.key])
        return brought
    }

    /// - Parameters:
    ///   - applied: entries that were applied before the list was cleared.
    ///   - rejected: the list's rejected entries.
    private func take(
        _ change: Change, into list: ListRow, applied: Set<Data> = [], rejected: Set<Data>, at now: Timestamp,
        by plan: inout ReceivingPlan
    ) throws {
        switch change.body {
        case .entry(let entry):
            let id = entry.entry.id
            if rejected.contains(id.data) { try dismissRejected(arrivedAs: entry, in: list, at: now) }
            let isApplied = try plan.take(
                change, isOwn: retire(id, as: entry, in: list, at: now), wasApplied: applied.contains(id.data))
            // An entry that was received before keeps its place in the to-apply queue.
            try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO entry (list, sequence, id, applied, content) VALUES
                    (?1, ?2, ?3, coalesce((SELECT applied FROM entry WHERE list = ?1 AND id = ?3), ?4), ?5)
                    """
            ).execute(arguments: [
                list.key, entry.sequence.rawValue, id.data, isApplied, try seal(entry, in: list.id),
            ])
        case .share(let share):
            plan.take(change, isOwn: false)
            var writer = JSONWriter()
            share.write(to: &writer)
            try db.execute(
                sql: "UPDATE list SET share = ? WHERE key = ?",
                arguments: [key.seal(writer.bytes, at: list.id.bits.bytes), list.key])
        case .discard(let ids, let anchors):
            plan.take(change, isOwn: false)
            try archivePurchases(of: list, with: ids)
            for id in ids {
                try db.cachedStatement(sql: "DELETE FROM entry WHERE list = ? AND id = ?")
                    .execute(arguments: [list.key, id.data])
            }
            for (id, after) in anchors { try anchor(id, to: after, in: list) }
        }
    }

    private func anchor(_ id: EntryID, to after: ItemID?, in list: ListRow) throws {
        guard
            let content = try Data.fetchOne(
                db, sql: "SELECT content FROM entry WHERE list = ? AND id = ?", arguments: [list.key, id.data])
        else { return }
        var entry = try openConfirmed(content, id: id, in: list.id)
        entry.entry.after = after
        try db.execute(
            sql: "UPDATE entry SET content = ? WHERE list = ? AND id = ?",
            arguments: [try seal(entry, in: list.id), list.key, id.data])
    }

    private func pass(_ through: SequenceNumber, in list: ListRow, at now: Timestamp) throws {
        let ids = try Data.fetchAll(
            db,
            sql: "SELECT id FROM pending INDEXED BY taken WHERE list = ? AND sequence IS NOT NULL AND sequence <= ?",
            arguments: [list.key, through.rawValue])
        for id in ids { try retire(try EntryID(data: id), in: list, at: now) }
        try db.execute(
            sql: "UPDATE list SET through = ? WHERE key = ?", arguments: [through.rawValue, list.key])
    }

    /// After a snapshot, offers entries again that the service has recently confirmed or taken but the snapshot lacks,
    /// before newer ones. If the service was restored from an older copy, it gets them back. If they were compressed
    /// away, it answers so; entry ids make that harmless.
    /// - Parameter brought: the ids of the snapshot's entries.
    private func reoffer(_ list: ListRow, except brought: Set<Data>, at now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE pending INDEXED BY taken SET sequence = NULL WHERE list = ? AND sequence IS NOT NULL",
            arguments: [list.key])
        let kept = try Data.fetchAll(
            db, sql: "SELECT id FROM confirmed WHERE list = ? AND kept >= ?",
            arguments: [list.key, now.milliseconds - reofferWindow])
        for id in kept where !brought.contains(id) {
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO pending
                      (list, position, id, content, boot, uptime, wall, estimate, sent, offered)
                    SELECT list, position, id, content, boot, uptime, wall, wall, 1, offered
                    FROM confirmed WHERE list = ? AND id = ?
                    """
            ).execute(arguments: [list.key, id])
        }
    }

    func apply(in list: ListRow, shopping: Bool) throws {
        let unseenItems = try finishedUnseenItems(in: list)
        for (item, entry) in unseenItems.markedOff {
            try db.execute(
                sql: "INSERT OR REPLACE INTO unseen (list, item, entry) VALUES (?, ?, ?)",
                arguments: [list.key, item.data, entry.data])
        }
        guard shopping else {
            try db.execute(
                sql: "UPDATE entry INDEXED BY to_apply SET applied = 1 WHERE list = ? AND applied = 0",
                arguments: [list.key])
            try db.execute(sql: "DELETE FROM struck WHERE list = ?", arguments: [list.key])
            // SQLite doesn't report changes of a table without row ids, so observers of the rows need a change of the list.
            if db.changesCount > 0 {
                try db.execute(sql: "UPDATE list SET version = version + 1 WHERE key = ?", arguments: [list.key])
            }
            return
        }
        let waiting = try confirmedEntries(of: list, applied: false)
        let shown = Set(waiting.showingWhileShopping(finished: unseenItems.entries))
        try strike(waiting.map(\.entry).filter { shown.contains($0.id) }, in: list)
        let apply = try db.makeStatement(sql: "UPDATE entry SET applied = 1 WHERE list = ? AND id = ?")
        for id in shown {
            try apply.execute(arguments: [list.key, id.data])
        }
    }

    /// Applies all waiting entries of the items with these names whose additions wait.
    /// - Parameter keys: the names' `itemKey`s.
    func applyItems(named keys: Set<ItemKey>, in list: ListRow) throws {
        let waiting = try confirmedEntries(of: list, applied: false)
        let added = Set(waiting.compactMap { $0.entry.operation == .add ? $0.entry.item : nil })
        guard !added.isEmpty else { return }
        var texts = ItemTexts()
        var named: [ItemID: Bool] = [:]
        for entry in waiting {
            guard let text = texts.take(entry), let item = entry.entry.item, added.contains(item) else { continue }
            named[item] = keys.contains(text.itemKey)
        }
        let apply = try db.makeStatement(sql: "UPDATE entry SET applied = 1 WHERE list = ? AND id = ?")
        for entry in waiting where entry.entry.item.flatMap({ named[$0] }) == true {
            try apply.execute(arguments: [list.key, entry.entry.id.data])
        }
    }

    private func finishedUnseenItems(in list: ListRow) throws -> FinishedUnseenItems {
        var search = UnseenItemSearch(received: list.received)
        try forEachConfirmed(of: list, applied: false) { search.scan($0) }
        guard search.needsSecondPass else { return FinishedUnseenItems() }
        try forEachConfirmed(of: list, applied: false) { search.collect($0) }
        return search.unseenItems(over: try folded(list).fold)
    }
}
