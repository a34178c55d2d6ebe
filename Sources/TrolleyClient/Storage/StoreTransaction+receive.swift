import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// What a fetch brings.

extension StoreTransaction {
    func receive(_ response: AllChangesResponse, at now: Timestamp) throws -> Receipt {
        var receipt = Receipt()
        for list in response.lists {
            try putAside(list.id, at: now)
            let isNew = try find(list.id) == nil
            let row = try insertList(list.id, published: true)
            if isNew {
                receipt.news += 1
                try forgetNotices(of: list.id)
            }
            if row.token != list.page.token || !list.page.changes.isEmpty { receipt.progressed = true }
            receipt.news += try receive(list.page, into: row, at: now)
            for case .discard(let ids, _) in list.page.changes.lazy.map(\.body) { receipt.discarded += ids.count }
            if try differs(list.id, from: list.page, at: now) {
                receipt.differing += 1
                receipt.progressed = true
            }
        }
        let unknown = Set(response.unknown)
        // From now on it is chosen: no list that leaves may put another one in its place.
        if try value("current") == nil, let first = try currentList() { try set("current", to: first.data) }
        for list in response.expired {
            guard let row = try find(list), !row.local, row.token != nil || row.published else { continue }
            let isOwn = try isOwn(row)
            if unknown.contains(list), !isOwn {
                try keepHere(row, at: now)
            } else if row.token != nil || isOwn {
                try expire(row)
            } else {
                continue
            }
            receipt.expired += 1
            receipt.progressed = true
        }
        for (list, reason) in response.gone.sorted(by: { $0.key < $1.key }) {
            guard let row = try find(list), !row.local else { continue }
            receipt.progressed = true
            if unknown.contains(list) {
                if try isOwn(row) { _ = try rekey(row, at: now) } else { try keepHere(row, at: now) }
                continue
            }
            receipt.keptAside += try remove(row, because: reason, at: now)
            receipt.news += 1
        }
        if let ownership = response.ownership { try keep(proofs: ownership) }
        try db.execute(
            sql: "DELETE FROM confirmed WHERE wall < ?", arguments: [now.milliseconds - offeredAgainFor])
        return receipt
    }

    /// Makes way for a list that comes to the account: what another account has kept of it here is a list beside it, on this
    /// device alone.
    func putAside(_ list: ListID, at now: Timestamp) throws {
        guard let row = try find(list), row.local, let former = row.former, former != row.account else { return }
        _ = try rekey(row, at: now)
    }

    /// - Returns: how many of the changes are news.
    private func receive(_ page: ChangesPage, into list: ListRow, at now: Timestamp) throws -> Int {
        var news = 0
        if list.staging || page.snapshot {
            // A snapshot replaces what the device has, but only once all of its pages are here.
            if list.token == nil || !list.staging {
                try db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [list.key])
            }
            try stage(page.changes, of: list)
            if !page.moreComing { news = try replace(list, at: now) }
        } else {
            var list = list
            for change in page.changes { news += try take(change, into: list) ? 1 : 0 }
            if let last = page.changes.last { list.through = max(list.through, last.sequence) }
            try pass(list)
        }
        try db.execute(
            sql: """
                UPDATE list SET token = ?, staging = ?, published = 1, local = 0, former = NULL, received = ?
                WHERE key = ?
                """,
            arguments: [
                page.token, (list.staging || page.snapshot) && page.moreComing, now.milliseconds, list.key,
            ])
        return news
    }

    /// Compares the list with the service's. One that differs at the same sequence is to be fetched afresh: its token is
    /// forgotten, and the diagnostics tell of it.
    private func differs(_ list: ListID, from page: ChangesPage, at now: Timestamp) throws -> Bool {
        guard let digest = page.expectedDigest, let row = try find(list), try confirmed(of: row).digest != digest
        else { return false }
        try db.execute(
            sql: "UPDATE list SET token = NULL, differed = differed + 1, differed_at = ? WHERE key = ?",
            arguments: [now.milliseconds, row.key])
        return true
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

    /// Puts the staged snapshot in the place of what the list was.
    /// - Returns: how many of its changes are news.
    func replace(_ list: ListRow, at now: Timestamp) throws -> Int {
        var list = list
        let known = try Set(
            Data.fetchAll(db, sql: "SELECT id FROM entry WHERE list = ? AND applied = 1", arguments: [list.key]))
        try db.execute(sql: "DELETE FROM entry WHERE list = ?", arguments: [list.key])
        list.through = .start
        var news = 0
        let rows = try Row.fetchCursor(
            db, sql: "SELECT content FROM staged WHERE list = ? ORDER BY sequence", arguments: [list.key])
        while let row = try rows.next() {
            let json = try key.open(row[0], at: list.id.bits.bytes)
            let change = try JSONReader.read(json) { reader throws(WireError) in try Change(from: &reader) }
            let isKnown = if case .entry(let entry) = change.body { known.contains(entry.entry.id.data) } else { true }
            if try take(change, into: list), !isKnown { news += 1 }
            list.through = max(list.through, change.sequence)
        }
        try db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [list.key])
        // What the person has seen already doesn't wait for their tap a second time.
        let apply = try db.makeStatement(sql: "UPDATE entry SET applied = 1 WHERE list = ? AND id = ?")
        for id in known { try apply.execute(arguments: [list.key, id]) }
        try offerAgain(list, at: now)
        try pass(list)
        return news
    }

    /// - Returns: whether it is news to the person.
    private func take(_ change: Change, into list: ListRow) throws -> Bool {
        switch change.body {
        case .entry(let entry):
            let isOwn = try retire(entry.entry.id, in: list)
            // One's own is on the screen already. An entry that came before keeps its place in the to-apply queue.
            try db.cachedStatement(
                sql: """
                    INSERT OR REPLACE INTO entry (list, sequence, id, applied, content) VALUES
                    (?1, ?2, ?3, coalesce((SELECT applied FROM entry WHERE list = ?1 AND id = ?3), ?4), ?5)
                    """
            ).execute(arguments: [
                list.key, entry.sequence.rawValue, entry.entry.id.data, isOwn, try seal(entry, in: list.id),
            ])
            return !isOwn && change.sequence > list.through
        case .share(let share):
            try noteOwner(of: list, in: share)
            var writer = JSONWriter()
            share.write(to: &writer)
            try db.execute(
                sql: "UPDATE list SET share = ? WHERE key = ?",
                arguments: [key.seal(writer.bytes, at: list.id.bits.bytes), list.key])
            return change.sequence > list.through
        case .discard(let ids, let anchors):
            for id in ids {
                try db.cachedStatement(sql: "DELETE FROM entry WHERE list = ? AND id = ?")
                    .execute(arguments: [list.key, id.data])
            }
            for (id, after) in anchors { try anchor(id, to: after, in: list) }
            return false
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

    /// The list has all changes up to `through`: entries of one's own that the service took up to there have come
    /// back, or were compressed away since.
    private func pass(_ list: ListRow) throws {
        let ids = try Data.fetchAll(
            db,
            sql: "SELECT id FROM pending INDEXED BY taken WHERE list = ? AND sequence IS NOT NULL AND sequence <= ?",
            arguments: [list.key, list.through.rawValue])
        for id in ids { try retire(try EntryID(data: id), in: list) }
        try db.execute(
            sql: "UPDATE list SET through = ? WHERE key = ?", arguments: [list.through.rawValue, list.key])
    }

    /// The service doesn't honour the token: the next fetch brings a snapshot, and that shows what it has lost. It may have
    /// lost the list as well, so a list of one's own is made there once more, which changes nothing when it is there.
    private func expire(_ list: ListRow) throws {
        try db.execute(sql: "DELETE FROM staged WHERE list = ?", arguments: [list.key])
        try db.execute(
            sql: "UPDATE list SET token = NULL, staging = 0, published = ? WHERE key = ?",
            arguments: [try !isOwn(list), list.key])
    }

    /// After a snapshot: what the service has confirmed lately, or taken, and the snapshot doesn't have, is offered
    /// again, before what was made later. Either the service was restored from an older copy and gets it back, or it was
    /// compressed away and the service says so: ids make that harmless.
    private func offerAgain(_ list: ListRow, at now: Timestamp) throws {
        try db.execute(
            sql: "UPDATE pending INDEXED BY taken SET sequence = NULL WHERE list = ? AND sequence IS NOT NULL",
            arguments: [list.key])
        try db.execute(
            sql: """
                INSERT OR IGNORE INTO pending (list, position, id, content, boot, uptime, wall, estimate, sent)
                SELECT list, position, id, content, boot, uptime, wall, wall, 1
                FROM confirmed WHERE list = ?1 AND wall >= ?2
                AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.list = ?1 AND entry.id = confirmed.id)
                """,
            arguments: [list.key, now.milliseconds - offeredAgainFor])
    }

    func apply(in list: ListRow, shopping: Bool) throws {
        let arrivals = try finishedArrivals(in: list)
        for (item, entry) in arrivals.markedOff {
            try db.execute(
                sql: "INSERT OR REPLACE INTO unseen (list, item, entry) VALUES (?, ?, ?)",
                arguments: [list.key, item.data, entry.data])
        }
        guard shopping else {
            try db.execute(
                sql: "UPDATE entry INDEXED BY to_apply SET applied = 1 WHERE list = ? AND applied = 0",
                arguments: [list.key])
            return
        }
        let apply = try db.makeStatement(sql: "UPDATE entry SET applied = 1 WHERE list = ? AND id = ?")
        for id in try confirmedEntries(of: list, applied: false).showingWhileShopping(finished: arrivals.entries) {
            try apply.execute(arguments: [list.key, id.data])
        }
    }

    private func finishedArrivals(in list: ListRow) throws -> FinishedArrivals {
        var search = ArrivalSearch(received: list.received)
        try forEachConfirmed(of: list, applied: false) { search.look(at: $0) }
        guard search.isPromising else { return FinishedArrivals() }
        try forEachConfirmed(of: list, applied: false) { search.take($0) }
        return search.arrivals(over: try folded(list).fold)
    }
}
