package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// A part of a list's journal.
package enum JournalPart: Hashable, Sendable {
    /// The entries from which the list is folded.
    case live
    /// The live entries, and the archived ones that were received since a time.
    case recent(since: Timestamp)
    /// All entries of the list's Activity that are retained.
    case activity
    /// The live entries; the archived ones that were received since a time; and, as far as they are retained, all entries about
    /// the list itself and about the items of a device's newest entries. `newest` limits the number of the latter.
    case touched(by: DeviceID, newest: Int, since: Timestamp)
}

/// A value made of a list's journal, from one snapshot, with its memory.
package struct JournalReading<Value: Sendable>: Sendable {
    package let value: Value
    /// The list, as the account sees it.
    package let list: ListResponse
    package let people: ShareState
    /// The last deviceSequence of the device that asks.
    package let lastCounter: Int64
    /// Since when the Activity is whole; nil: from the list's beginning.
    package let retainedFrom: Timestamp?
    /// The deviceSequence of the first of the newest entries, of whose items everything was read (`JournalPart.touched`); nil: the
    /// device has no earlier ones.
    package let touchedFrom: Int64?
    package let reservation: ReadReservation
}

extension Store {
    /// Makes a value of a list's entries, which are passed on in the order of their sequences.
    /// - Parameters:
    ///   - device: the device whose counter the caller needs, to append.
    ///   - parts: one after the other, of one snapshot.
    ///   - initial: the value before the first entry.
    ///   - take: changes the value by an entry of a part. It returns about how many bytes that takes, without the entry's fields.
    /// - Throws: as ``fold(_:for:)``.
    package func journal<Value: Sendable>(
        of list: ListID, for account: AccountID, countedFor device: DeviceID? = nil, _ parts: [JournalPart],
        into initial: Value, _ take: (inout Value, ConfirmedEntry, JournalPart) -> Int
    ) async throws(StoreError) -> JournalReading<Value> {
        try await readSnapshot(of: list, for: account) { connection in
            let membership = try await connection.requireMembership(of: account, on: list)
            let answers = try await connection.pipeline([
                .execute(ArchiveSQL.retained, [list]), .execute(ActivitySQL.epoch),
            ])
            let (from, isPartial) = try answers[0][0].decode((Timestamp?, Bool).self)
            let epoch = try answers[1][0].decode(PostgresUUID.self, at: 0)
            let reservation = memory.reservation(for: account)
            var (value, counter) = (initial, DeviceCounter(device: device))
            var touchedFrom: Int64?
            for part in parts {
                var touched = TouchedItems()
                if case .touched(let device, let count, _) = part {
                    touched = try await connection.touched(on: list, by: device, newest: count)
                    touchedFrom = touched.firstNumber
                }
                let (statement, binds) = part.reading(list, touched.items, isPartial: isPartial)
                try await connection.forEachEntry(of: statement, binds) { entry, bytes throws(StoreError) in
                    counter.note(entry)
                    try reservation.reserve(take(&value, entry, part) + bytes)
                }
            }
            let reading = JournalReading(
                value: value, list: membership,
                people: try await connection.share(of: list).shown(to: membership.role),
                lastCounter: try await connection.lastCounter(counter, on: list),
                retainedFrom: isPartial ? from : nil, touchedFrom: touchedFrom, reservation: reservation)
            return (
                reading, Position(head: membership.head, epoch: UUIDBits(high: epoch.high, low: epoch.low))
            )
        }
    }
}

extension JournalPart {
    fileprivate func reading(
        _ list: ListID, _ touched: [ItemID], isPartial: Bool
    ) -> (Statement, [any PostgresEncodable]) {
        switch self {
        case .live: (EntrySQL.entryRange, [list])
        case .recent(let since): (EntrySQL.recentRange, [list, since])
        case .activity: (EntrySQL.activityRange, [list, isPartial])
        case .touched(_, _, let since): (EntrySQL.touchedRange, [list, since, touched])
        }
    }
}

/// The items that a device's newest entries on a list are about.
private struct TouchedItems {
    var items: [ItemID] = []
    /// The deviceSequence of the first of these entries; nil: the device has no earlier ones.
    var firstNumber: Int64?
}

extension Connection {
    /// - Parameter count: the largest number of entries. A gesture is taken whole, or not at all.
    fileprivate func touched(on list: ListID, by device: DeviceID, newest count: Int) async throws -> TouchedItems {
        var newest = try await execute(EntrySQL.newestOfDevice, [list, device, Int64(count + 1)]).map {
            try $0.decode((Int64, ItemID?, BatchID?).self)
        }
        var touched = TouchedItems()
        if newest.count > count, let next = newest.popLast() {
            if let batch = next.2 { while newest.last?.2 == batch { newest.removeLast() } }
            touched.firstNumber = newest.last?.0 ?? next.0 + 1
        }
        touched.items = Set(newest.compactMap { $0.1 }).sorted()
        return touched
    }
}

/// The last deviceSequence of a device among the live entries that were read.
struct DeviceCounter {
    /// nil: nobody needs it.
    let device: DeviceID?
    private(set) var last: Int64 = 0
    private var lastReceivedAt: Timestamp?

    init(device: DeviceID?) { self.device = device }

    /// When the device's newest entry may have been received at the earliest, so that not all months are read: a device's
    /// higher number is received later, but for the time that two transactions may have waited for each other.
    var newestMayBeSince: Timestamp {
        lastReceivedAt?.advanced(byMilliseconds: -86_400_000) ?? Timestamp(milliseconds: 0)
    }

    mutating func note(_ entry: ConfirmedEntry) {
        guard entry.device == device, entry.entry.deviceSequence > last else { return }
        last = entry.entry.deviceSequence
        lastReceivedAt = entry.receivedAt
    }
}

extension Connection {
    /// The last deviceSequence of a device on a list, also among its archived entries.
    /// - Parameter counter: of the list's live entries.
    func lastCounter(_ counter: DeviceCounter, on list: ListID) async throws -> Int64 {
        guard let device = counter.device else { return 0 }
        let rows = try await execute(CalendarSQL.lastCounter, [list, device, counter.newestMayBeSince])
        guard let row = rows.first else { return counter.last }
        return max(counter.last, try row.decode(Int64?.self, at: 0) ?? 0)
    }
}
