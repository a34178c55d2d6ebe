import GRDB
import TrolleyJournal
import TrolleySync
import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The part of a list's summary that is computed from the list's entries, for one version of the list.
///
/// A version of this program that folds the same entries to another list must delete the stored overviews in a migration.
struct ListOverview: Sendable {
    /// The list's key, and the columns of its row that show whether the overview is still valid.
    var list: Int64
    var version: Int64
    var account: Data
    /// The read mark for which `unread` was counted.
    var read: SequenceNumber
    var name: String?
    var colour: String?
    var wanted: Int
    var markedOff: Int
    var unread: Int
    /// The number of the list's entries.
    var entries: Int

    /// The keys of the encrypted fields.
    fileprivate static let name = "name"
    fileprivate static let colour = "colour"
}

extension StoreTransaction {
    /// Each list's two queues, the rejected entries, and the lists that have left the device.
    func queues() throws -> DeviceQueues {
        var queues: [ListQueues] = []
        for row in try lists() {
            queues.append(
                ListQueues(
                    list: row.id, name: try name(of: row), isLocal: row.local,
                    upload: try waiting(in: row, limit: .max).map(\.entry),
                    toApply: try confirmedEntries(of: row, applied: false)))
        }
        let retryState = try retryState()
        return DeviceQueues(
            lists: queues, rejected: try rejected(), notices: try notices(), nextTry: retryState.nextTry,
            askedToWait: retryState.askedToWait)
    }

    func summaries() throws -> [ListSummary] {
        let current = try currentList()
        return try listsInOrder().map { try summary(of: $0, overview(of: $0), current: current) }
    }

    /// The lists as the person keeps them.
    func listsInOrder() throws -> [ListRow] {
        try lists().sorted { ListPlace.precedes(($0.id, $0.place), ($1.id, $1.place)) }
    }

    func summary(of list: ListRow) throws -> ListSummary {
        try summary(of: list, overview(of: list), current: currentList())
    }

    /// The summary without counting unread changes, which takes longest: there may be 0.
    func summaryWithoutUnread(of list: ListRow) throws -> ListSummary {
        try summary(of: list, overview(of: list, countsUnread: false), current: currentList())
    }

    private func summary(of list: ListRow, _ overview: ListOverview, current: ListID?) throws -> ListSummary {
        let people = list.local ? [] : try share(of: list)?.participants ?? []
        return ListSummary(
            id: list.id, name: overview.name, colour: overview.colour, wanted: overview.wanted,
            markedOff: overview.markedOff, isCurrent: list.id == current, isLocal: list.local,
            isKept: list.former != nil, owner: try otherOwner(of: list), waiting: try countWaiting(in: list),
            others: people.count { $0.status == .accepted && $0.account?.data != list.account },
            invited: people.count { $0.status == .invited }, unread: overview.unread, place: list.place,
            receivedAt: list.local || list.received == Timestamp(milliseconds: 0) ? nil : list.received)
    }

    /// The stored overview of a list if it is still valid; otherwise a new one, which is stored after a reading transaction.
    /// - Parameter countsUnread: whether to count unread changes, which decrypts each of them; otherwise `unread` may be 0.
    private func overview(of list: ListRow, countsUnread: Bool = true) throws -> ListOverview {
        if var kept = try keptOverview(of: list) {
            if kept.read != list.read { kept.unread = countsUnread ? try countUnread(in: list) : 0 }
            return kept
        }
        let isFolded = folds.folded(list, removing: false) != nil
        let folded = try folded(list)
        let state = folded.fold.state(without: try unseen(in: list))
        let wanted = state.items.count { !$0.markedOff }
        let overview = ListOverview(
            list: list.key, version: list.version, account: list.account, read: list.read, name: state.name,
            colour: state.colour, wanted: wanted, markedOff: state.items.count - wanted,
            unread: countsUnread ? try countUnread(in: list) : 0, entries: folded.count)
        // Computed from entries that had to be decrypted: the next program need not do that again.
        if !isFolded, folds.bundleSizes != nil, try countsUnread || hasReadAll(of: list) { folds.make(overview) }
        return overview
    }

    /// Whether no entry follows the read mark, also none of the person's own.
    private func hasReadAll(of list: ListRow) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT NOT EXISTS (SELECT 1 FROM entry WHERE list = ? AND sequence > ?)"),
            arguments: [list.key, list.read.rawValue]) == true
    }

    /// nil: there is none for this version of the list. Its `unread` is for its own read mark.
    func keptOverview(of list: ListRow) throws -> ListOverview? {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT content, wanted, marked_off, unread, entries, read FROM overview
                    WHERE list = ? AND version = ? AND account = ?
                    """),
            arguments: [list.key, list.version, list.account])
        // One that can't be read is as good as none.
        guard let row, let content = try? key.open(row[0], at: Self.place(ofOverview: list.key)) else { return nil }
        let fields = try JSONReader.read(content) { reader throws(WireError) in try Fields(from: &reader) }
        return ListOverview(
            list: list.key, version: list.version, account: list.account, read: SequenceNumber(rawValue: row[5]),
            name: fields[ListOverview.name]?.string, colour: fields[ListOverview.colour]?.string, wanted: row[1],
            markedOff: row[2], unread: row[3], entries: row[4])
    }

    /// Stores the overview, unless the list has changed since.
    func keep(_ overview: ListOverview) throws {
        var (fields, writer) = (Fields(), JSONWriter(capacity: 128))
        fields[ListOverview.name] = overview.name.map { .string($0) }
        fields[ListOverview.colour] = overview.colour.map { .string($0) }
        fields.write(to: &writer)
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO overview
                  (list, version, read, account, content, wanted, marked_off, unread, entries)
                SELECT key, version, read, account, ?5, ?6, ?7, ?8, ?9
                FROM list WHERE key = ?1 AND version = ?2 AND read = ?3 AND account = ?4
                """,
            arguments: [
                overview.list, overview.version, overview.read.rawValue, overview.account,
                try key.seal(writer.bytes, at: Self.place(ofOverview: overview.list)), overview.wanted,
                overview.markedOff, overview.unread, overview.entries,
            ])
    }

    private static func place(ofOverview list: Int64) -> [UInt8] { Array("overview \(list)".utf8) }

    /// The chosen list if it is still here. Until one is chosen: the first list.
    func currentList() throws -> ListID? {
        if let chosen = try value("current") { return try find(try ListID(data: chosen))?.id }
        return try lists().first?.id
    }

    func countWaiting(in list: ListRow) throws -> Int {
        try Int.fetchOne(
            db.cachedStatement(
                sql: "SELECT COUNT(*) FROM pending INDEXED BY upload_queue WHERE list = ? AND sequence IS NULL"),
            arguments: [list.key]) ?? 0
    }
}
