import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Offering a list again that the service has lost.

extension StoreTransaction {
    /// Puts everything that the device has of a list into its upload queue, before newer changes, because no other
    /// device may have it. The list looks the same. Entries keep their ids, numbers and order, so a service that has
    /// some of them accepts only the others. They keep their authors, too, as far as the service that confirmed them has
    /// given receipts; otherwise other people's words name who wrote them.
    /// - Parameter names: of people who are no longer on the list.
    func reofferAll(of list: ListRow, naming names: [AccountID: String] = [:], at now: Timestamp) throws {
        let names = try self.names(of: list, and: names)
        var entries: [ConfirmedEntry] = []
        try forEachConfirmed(of: list) { entries.append($0) }
        let offer = try offer(of: entries, in: list, at: now)
        var position = offer.position
        for entry in entries {
            try db.cachedStatement(
                sql: """
                    INSERT OR IGNORE INTO pending
                      (list, position, id, content, boot, uptime, wall, estimate, sent, offered)
                    VALUES (?, ?, ?, ?, '', 0, ?, ?, 1, 1)
                    """
            ).execute(arguments: [
                list.key, position, entry.entry.id.data,
                try seal(entry, authorName: names[entry.author], in: list.id),
                offer.wall(of: entry.madeAt).milliseconds, entry.madeAt.milliseconds,
            ])
            position += 1
        }
        for table in ["entry", "staged"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE list = ?", arguments: [list.key])
        }
        try db.execute(
            sql: "UPDATE pending SET sequence = NULL WHERE list = ? AND sequence IS NOT NULL", arguments: [list.key])
        try db.execute(
            sql: "UPDATE list SET token = NULL, staging = 0, through = 0 WHERE key = ?", arguments: [list.key])
    }

    private func offer(of entries: [ConfirmedEntry], in list: ListRow, at now: Timestamp) throws -> ListOffer {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT MIN(position), MIN(wall) FILTER (WHERE sequence IS NULL AND offered = 0)
                FROM pending WHERE list = ?
                """, arguments: [list.key])
        return ListOffer(
            count: entries.count, latest: entries.lazy.map(\.madeAt).max(), first: row?[0],
            unsent: (row?[1] as Int64?).map { Timestamp(milliseconds: $0) }, at: now)
    }

    /// The names of other people on a list.
    private func names(of list: ListRow, and more: [AccountID: String]) throws -> [AccountID: String] {
        let own = try [list.account, list.former ?? Data(), account()].compactMap(AccountID.init(stored:))
        let names = try share(of: list)?.names(except: own) ?? [:]
        return more.filter { !own.contains($0.key) }.merging(names) { $1 }
    }

    /// A reader may not send what was kept of the list. Of that the person's own changes are shown as refused.
    func giveUpOffered(in list: ListRow, at now: Timestamp) throws {
        let own = try waiting(in: list, limit: .max).filter { $0.isOffered && $0.isOwn }
        for queued in own {
            let refused = Settlement.Refused(entry: queued.entry.id, code: .permissionFailure, detail: nil)
            try reject(refused, in: list, called: try name(of: list), at: now)
        }
        try db.execute(sql: "DELETE FROM pending WHERE list = ? AND offered = 1", arguments: [list.key])
    }

    /// Gives the person's own list a new id, because the service knows the old id as somebody else's list. The list
    /// looks the same and is created on the service with all its contents.
    /// - Parameter names: of people who are no longer on the list.
    func rekey(_ list: ListRow, naming names: [AccountID: String] = [:], at now: Timestamp) throws -> ListID {
        try reofferAll(of: list, naming: names, at: now)
        let id = ListID.version7(at: now, random: (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max)))
        // Encrypted values are bound to their list, so they must be encrypted again.
        for (table, key) in [("pending", "position"), ("confirmed", "id"), ("undo", "position"), ("bought", "id")] {
            try reseal(table, by: key, of: list, under: id)
        }
        try resealRejected(of: list, under: id)
        if let learned = try learnedOrder(of: list) { try keep(learned, of: list, under: id) }
        // The account may also have another list of this id.
        let isCurrent = try value("current") == list.id.data && find(list.id)?.key == list.key
        if isCurrent { try set("current", to: id.data) }
        try setCounter(try counter(of: list.id, device: try device()), of: id, device: try device())
        try db.execute(
            sql: """
                UPDATE list SET id = ?, published = 0, share = NULL, former = NULL, ownership = NULL, read = 0, read_told = 0,
                  version = version + 1
                WHERE key = ?
                """, arguments: [id.data, list.key])
        return id
    }

    private func reseal(_ table: String, by column: String, of list: ListRow, under new: ListID) throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT \(column), id, content FROM \(table) WHERE list = ?", arguments: [list.key])
        for row in rows {
            let (place, id, content): (DatabaseValue, Data, Data) = (row[0], row[1], row[2])
            try db.cachedStatement(sql: "UPDATE \(table) SET content = ? WHERE list = ? AND \(column) = ?")
                .execute(arguments: [try reseal(content, of: id, in: list.id, under: new), list.key, place])
        }
    }

    private func resealRejected(of list: ListRow, under new: ListID) throws {
        let rows = try Row.fetchAll(
            db, sql: "SELECT key, id, content FROM rejected WHERE account IN (?, ?) AND list = ?",
            arguments: [list.account, list.former ?? list.account, list.id.data])
        for row in rows {
            let (place, id, content): (Int64, Data, Data) = (row[0], row[1], row[2])
            try db.execute(
                sql: "UPDATE rejected SET list = ?, content = ? WHERE key = ?",
                arguments: [new.data, try reseal(content, of: id, in: list.id, under: new), place])
        }
    }

    private func reseal(_ content: Data, of id: Data, in old: ListID, under new: ListID) throws -> Data {
        try key.seal(key.open(content, at: old.bits.bytes + id), at: new.bits.bytes + id)
    }
}
