import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Purchases beyond the list's entries, and struck rows in shopping mode.

extension StoreTransaction {
    // MARK: Purchases

    /// Stores the purchases in these entries, before compression removes the entries.
    /// - Parameter ids: the entries; nil: all of the list's entries.
    func archivePurchases(of list: ListRow, with ids: [EntryID]? = nil) throws {
        var history = PurchaseHistory()
        if let ids {
            let going = try confirmedEntries(ids, of: list)
            guard going.contains(where: { $0.entry.operation == .markOff }) else { return }
            let added = Set(going.filter { $0.entry.operation == .add }.compactMap(\.entry.item))
            let isWhole = going.allSatisfy {
                $0.entry.operation != .markOff || $0.entry.item.map(added.contains) == true
            }
            // The removed entries describe the purchases completely, unless an item stays.
            if isWhole {
                history = PurchaseHistory(going)
            } else {
                try forEachConfirmed(of: list) { history.take($0) }
            }
        } else {
            try forEachConfirmed(of: list) { history.take($0) }
        }
        let wanted = ids.map { Set($0) }
        let purchases = history.purchases.filter { wanted?.contains($0.entry) ?? true }
        guard !purchases.isEmpty else { return }
        for purchase in purchases {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO bought (list, id, at, content) VALUES (?, ?, ?, ?)")
                .execute(arguments: [
                    list.key, purchase.entry.data, purchase.at.milliseconds,
                    key.seal(purchase.json, at: list.id.bits.bytes + purchase.entry.bits.bytes),
                ])
        }
        try db.execute(
            sql: """
                DELETE FROM bought WHERE list = ?1 AND id IN
                  (SELECT id FROM bought WHERE list = ?1 ORDER BY at DESC LIMIT -1 OFFSET ?2)
                """, arguments: [list.key, PurchaseHistory.mostKept])
    }

    private func confirmedEntries(_ ids: [EntryID], of list: ListRow) throws -> [ConfirmedEntry] {
        var entries: [ConfirmedEntry] = []
        for id in ids {
            let content = try Data.fetchOne(
                db.cachedStatement(sql: "SELECT content FROM entry WHERE list = ? AND id = ?"),
                arguments: [list.key, id.data])
            if let content { entries.append(try openConfirmed(content, id: id, in: list.id)) }
        }
        return entries.sorted { $0.sequence < $1.sequence }
    }

    /// Purchases whose entries are no longer on the device.
    func archivedPurchases(of list: ListRow) throws -> [Purchase] {
        try Row.fetchAll(
            db, sql: "SELECT id, at, content FROM bought WHERE list = ? ORDER BY at", arguments: [list.key]
        )
        .map { row in
            let id = try EntryID(data: row[0])
            return try Purchase(
                json: key.open(row[2], at: list.id.bits.bytes + id.bits.bytes), entry: id,
                at: Timestamp(milliseconds: row[1]))
        }
    }

    /// Adds a list's purchases that the device has stored.
    func addPurchases(of list: ListRow, to history: inout PurchaseHistory) throws {
        for purchase in try archivedPurchases(of: list) { history.add(purchase) }
        let journal = try journal(of: list)
        for entry in journal.confirmed { history.take(entry) }
        for entry in journal.pending { history.take(entry.entry, madeAt: entry.madeAt) }
    }

    // MARK: Shopping mode

    /// Keeps struck rows for the items that these entries delete.
    func strike(_ entries: [JournalEntry], in list: ListRow) throws {
        for entry in entries where entry.operation == .delete {
            guard let item = entry.item else { continue }
            try db.execute(
                sql: "INSERT OR IGNORE INTO struck (list, item) VALUES (?, ?)", arguments: [list.key, item.data])
        }
    }

    /// The rows of a list, as a person sees them. What is bought in another shop than the one where the person is comes last.
    func rows(of list: ListRow) throws -> [ShownRow] {
        let struck = try Data.fetchAll(db, sql: "SELECT item FROM struck WHERE list = ?", arguments: [list.key])
        let fold = try folded(list).fold
        let rows = fold.rows(striking: Set(try struck.map { try ItemID(data: $0) }), without: try unseen(in: list))
        let shop = try shop(of: list)
        let order = fold.shops.aisles(at: shop, of: fold.aisles)
        let (here, elsewhere) = rows.split(at: shop)
        guard list.shopping, try usesLearnedOrder(), let learned = try learnedOrder(of: list) else {
            return here.byAisle(order) + elsewhere.byAisle(order)
        }
        return here.byAisle(order, learned: learned) + elsewhere.byAisle(order, learned: learned)
    }
}
