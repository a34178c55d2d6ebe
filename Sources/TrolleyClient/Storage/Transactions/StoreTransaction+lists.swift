import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// Lists that leave the device.

extension StoreTransaction {
    /// Removes the list from the device. Its unsent entries become rejected ones, and a notice gives the reason.
    /// - Parameter notice: whether to record a notice; not needed for the person's own action.
    /// - Returns: the number of unsent entries.
    @discardableResult
    func remove(_ list: ListRow, because reason: ListGoneReason, at now: Timestamp, notice: Bool = true) throws -> Int {
        let name = try name(of: list)
        let unsent = try Data.fetchAll(
            db, sql: "SELECT id FROM pending WHERE list = ? AND sequence IS NULL ORDER BY position",
            arguments: [list.key])
        for id in unsent {
            let refused = Settlement.Refused(entry: try EntryID(data: id), code: .listDeleted, detail: reason.sentence)
            try reject(refused, in: list, called: name, at: now)
        }
        if notice {
            let content = try key.seal(Array((name ?? "").utf8), at: list.id.bits.bytes)
            try db.execute(
                sql: "INSERT INTO notice (account, list, reason, kept, at, content) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [try account(), list.id.data, reason.rawValue, unsent.count, now.milliseconds, content])
        }
        try db.execute(sql: "DELETE FROM list WHERE key = ?", arguments: [list.key])
        return unsent.count
    }

    /// Deletes notices of a list that is on the device again.
    func forgetNotices(of list: ListID) throws {
        try db.execute(
            sql: "DELETE FROM notice WHERE account = ? AND list = ?", arguments: [try account(), list.data])
    }

    func notices() throws -> [Notice] {
        let rows = try Row.fetchCursor(
            db, sql: "SELECT list, reason, kept, at, content FROM notice WHERE account = ? ORDER BY key",
            arguments: [try account()])
        var notices: [Notice] = []
        while let row = try rows.next() {
            let list = try ListID(data: row[0])
            let name = String(decoding: try key.open(row[4], at: list.bits.bytes), as: UTF8.self)
            notices.append(
                Notice(
                    list: list, listName: name.isEmpty ? nil : name,
                    reason: ListGoneReason(rawValue: row[1]) ?? .removed, keptAside: row[2],
                    at: Timestamp(milliseconds: row[3])))
        }
        return notices
    }

    func share(of list: ListRow) throws -> ShareState? {
        guard let sealed = list.share else { return nil }
        return try JSONReader.read(key.open(sealed, at: list.id.bits.bytes)) { reader throws(WireError) in
            try ShareState(from: &reader)
        }
    }
}
