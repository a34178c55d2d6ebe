import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Trips, and the order that they teach.

extension StoreTransaction {
    /// A list's trips as far as the device has kept its purchases, oldest first. Entries that wait to be applied count.
    func trips(of list: ListRow) throws -> [Trip] {
        var history = PurchaseHistory()
        for purchase in try archivedPurchases(of: list) { history.add(purchase) }
        try forEachConfirmed(of: list) { history.take($0) }
        let own = list.account.isEmpty ? nil : try AccountID(data: list.account)
        for entry in try pendingEntries(of: list) { history.take(entry.entry, madeAt: entry.madeAt, by: own) }
        return history.trips
    }

    func computeLearnedOrder(of list: ListRow, at now: Timestamp, in shop: String?) throws -> LearnedOrder {
        LearnedOrder(of: try trips(of: list), at: now, in: shop)
    }

    // MARK: The stored order

    private static var setting: String { "shopping-order" }
    private static var listOrder: Data { Data("list".utf8) }

    /// Whether rows are in the learned order while shopping, on this device.
    func usesLearnedOrder() throws -> Bool { try value(Self.setting) != Self.listOrder }

    func setUsesLearnedOrder(_ isUsed: Bool) throws {
        try set(Self.setting, to: isUsed ? nil : Self.listOrder)
        // For observers of the rows.
        try db.execute(sql: "UPDATE list SET version = version + 1 WHERE shopping = 1")
    }

    /// The order that was learned when shopping mode was switched on; nil while it is off.
    func learnedOrder(of list: ListRow) throws -> LearnedOrder? {
        guard
            let sealed = try Data.fetchOne(
                db, sql: "SELECT content FROM learned_order WHERE list = ?", arguments: [list.key])
        else { return nil }
        return try LearnedOrder(json: key.open(sealed, at: Self.place(in: list.id)))
    }

    /// - Parameters:
    ///   - learned: nil: deletes the stored order.
    ///   - id: the list's id from now on, to which the encrypted content is bound; nil: the present one.
    func keep(_ learned: LearnedOrder?, of list: ListRow, under id: ListID? = nil) throws {
        guard let learned else {
            return try db.execute(sql: "DELETE FROM learned_order WHERE list = ?", arguments: [list.key])
        }
        try db.execute(
            sql: "INSERT OR REPLACE INTO learned_order (list, content) VALUES (?, ?)",
            arguments: [list.key, try key.seal(learned.json, at: Self.place(in: id ?? list.id))])
    }

    private static func place(in list: ListID) -> [UInt8] { list.bits.bytes + Array("learned".utf8) }
}

extension LearnedOrder {
    fileprivate var json: [UInt8] {
        var writer = JSONWriter(capacity: 32 * places.count + 16)
        write(to: &writer)
        return writer.bytes
    }

    fileprivate init(json: Data) throws {
        self = try JSONReader.read(json) { reader throws(WireError) in try LearnedOrder(from: &reader) }
    }
}
