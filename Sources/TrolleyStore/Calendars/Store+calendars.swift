package import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

extension Store {
    /// The account's lists, oldest first.
    package func calendars(of account: AccountID) async throws(StoreError) -> [CalendarHead] {
        var heads = try await all(CalendarSQL.lists, [account, nil as ListID?], CalendarHead.init(row:))
        for index in heads.indices where !heads[index].isTitleKnown {
            let fold = try await fold(heads[index].list, for: account).fold
            heads[index].name = fold.name
            heads[index].colour = fold.state.colour
        }
        return heads
    }

    /// - Throws: `.notOnList`, `.gone`.
    package func calendarHead(of list: ListID, for account: AccountID) async throws(StoreError) -> CalendarHead {
        guard let head = try await first(CalendarSQL.lists, [account, list], CalendarHead.init(row:)) else {
            throw try await membershipError(of: account, from: list)
        }
        return head
    }

    /// A list with its items.
    /// - Parameter device: the device whose counter the caller needs, to append.
    /// - Throws: as ``fold(_:for:)``.
    package func calendar(
        of list: ListID, for account: AccountID, countedFor device: DeviceID? = nil
    ) async throws(StoreError) -> ListCalendar {
        let read = try await readCalendar(of: list, for: account, countedFor: device)
        var head = read.head
        head.name = read.reading.fold.name
        head.colour = read.reading.fold.colour
        let items = read.reading.items
        // Of the fold, the items stay. An answer about them counts beside them.
        read.reservation.shrink(to: items.reduce(0) { $0 + $1.memory })
        return ListCalendar(head: head, items: items, lastCounter: read.lastCounter, reservation: read.reservation)
    }

    /// Reads all live entries of a list.
    /// - Throws: as ``fold(_:for:)``.
    func readCalendar(
        of list: ListID, for account: AccountID, countedFor device: DeviceID?
    ) async throws(StoreError) -> CalendarRead {
        try await readSnapshot(of: list, for: account) { connection in
            guard let row = try await connection.execute(CalendarSQL.lists, [account, list]).first else {
                throw try await connection.membershipError(of: account, from: list)
            }
            let head = try CalendarHead(row: row)
            var reading = CalendarReading()
            let reservation = memory.reservation(for: account)
            try await connection.forEachEntry(of: EntrySQL.entryRange, [list]) { entry, bytes throws(StoreError) in
                try reservation.reserve(reading.take(entry) + bytes)
            }
            let read = CalendarRead(
                head: head, reading: reading,
                lastCounter: try await connection.lastCounter(reading.counter(of: device), on: list),
                reservation: reservation)
            return (read, head.position)
        }
    }

    /// The items that changed or vanished after a sequence, with the sequences of their latest changes.
    /// - Throws: `.notOnList`, `.gone`.
    package func changedItems(
        of list: ListID, for account: AccountID, since sequence: SequenceNumber
    ) async throws(StoreError) -> [ItemID: SequenceNumber] {
        _ = try await calendarHead(of: list, for: account)
        let found = try await all(CalendarSQL.changedItems, [list, sequence]) { row throws(PostgresError) in
            try row.decode((ItemID, SequenceNumber).self)
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// Whether a list has, or had, an item.
    package func hadItem(_ item: ItemID, on list: ListID) async throws(StoreError) -> Bool {
        try await one(CalendarSQL.hadItem, [list, item]) { row throws(PostgresError) in
            try row.decode(Bool.self, at: 0)
        }
    }

    /// The values of a field with which items were added; items without one are left out.
    package func calendarNames(
        of items: Set<ItemID>, on list: ListID, key: String
    ) async throws(StoreError) -> [ItemID: String] {
        let found = try await all(CalendarSQL.names, [list, Array(items), key]) { row throws(PostgresError) in
            try row.decode((ItemID, String).self)
        }
        return Dictionary(found, uniquingKeysWith: { first, _ in first })
    }

    /// One item as it was at a sequence, from everything that ever happened to it; nil if it wasn't there, or if the Activity
    /// no longer has all of that.
    /// - Throws: as ``fold(_:for:)``.
    package func item(
        _ item: ItemID, of list: ListID, for account: AccountID, at sequence: SequenceNumber
    ) async throws(StoreError) -> Item? {
        try await copy(of: item, of: list, for: account, readAt: sequence, by: nil)?.item
    }

    /// A device's copy of one item: as ``item(_:of:for:at:)``, with what the device itself has changed since.
    /// - Parameters:
    ///   - sequence: where the device read the item.
    ///   - device: nil: no device has changed the copy.
    package func copy(
        of item: ItemID, of list: ListID, for account: AccountID, readAt sequence: SequenceNumber, by device: DeviceID?
    ) async throws(StoreError) -> CalendarCopy? {
        try await readSnapshot(of: list, for: account) { connection -> (CalendarCopy?, Position) in
            let head = try await connection.requireMembership(of: account, on: list).head
            let answers = try await connection.pipeline([
                .execute(ArchiveSQL.retained, [list]), .execute(ActivitySQL.epoch),
            ])
            let (_, isPartial) = try answers[0][0].decode((Timestamp?, Bool).self)
            let epoch = try answers[1][0].decode(PostgresUUID.self, at: 0)
            let position = Position(head: head, epoch: UUIDBits(high: epoch.high, low: epoch.low))
            if isPartial { return (nil, position) }
            let reservation = memory.reservation(for: account)
            // Only its place depends on other items.
            var fold = ListFold()
            var isMoved = false
            let last = device == nil ? sequence : head
            try await connection.forEachEntry(of: CalendarSQL.entriesOfItem, [list, item, last]) {
                entry, bytes throws(StoreError) in
                if entry.sequence > sequence {
                    guard entry.device == device else { return }
                    if entry.entry.operation == .move { isMoved = true }
                }
                try fold.apply(entry, bytes, reservation)
            }
            return (fold.item(item).map { CalendarCopy(item: $0, isMoved: isMoved) }, position)
        }
    }
}

/// All live entries of a list, and the memory that they take.
struct CalendarRead: Sendable {
    let head: CalendarHead
    let reading: CalendarReading
    /// The last deviceSequence of the device that asks.
    let lastCounter: Int64
    let reservation: ReadReservation
}

extension CalendarHead {
    /// - Parameter row: of `CalendarSQL.lists`.
    init(row: Row) throws(PostgresError) {
        let (list, role, permission, head, epoch, trailFrom, isKnown) = try row.decode(
            (ListID, Role, Permission, SequenceNumber, PostgresUUID, SequenceNumber, Bool).self)
        self.init(
            list: list, owner: try row.decode(AccountID.self, at: 9), role: role, permission: permission, head: head,
            epoch: UUIDBits(high: epoch.high, low: epoch.low), trailFrom: trailFrom,
            name: isKnown ? try Fields(cell: row[7])[Fields.text]?.string : nil,
            colour: isKnown ? try Fields(cell: row[8])[Fields.text]?.string : nil, isTitleKnown: isKnown)
    }
}
