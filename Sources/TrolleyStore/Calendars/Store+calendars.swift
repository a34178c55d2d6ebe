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
        try await typed {
            try await readSnapshot(of: list, for: account) { connection in
                guard let row = try await connection.execute(CalendarSQL.lists, [account, list]).first else {
                    throw try await connection.membershipError(of: account, from: list)
                }
                var head = try CalendarHead(row: row)
                var reading = CalendarReading(device: device)
                let reservation = memory.reservation(for: account)
                try await connection.forEachEntry(of: EntrySQL.entryRange, [list]) { entry, bytes throws(StoreError) in
                    try reading.apply(entry, bytes, reservation)
                }
                let state = reading.fold.state
                head.name = state.name
                head.colour = state.colour
                let items = reading.items(of: state)
                // Of the fold, the items stay. An answer about them counts beside them.
                reservation.shrink(to: items.reduce(0) { $0 + $1.memory })
                let calendar = ListCalendar(
                    head: head, items: items,
                    lastCounter: try await connection.lastCounter(reading.counter, on: list), reservation: reservation)
                return (calendar, Position(head: head.head, epoch: head.epoch))
            }
        }
    }

    /// The items that changed or vanished after a sequence.
    /// - Throws: `.notOnList`, `.gone`.
    package func changedItems(
        of list: ListID, for account: AccountID, since sequence: SequenceNumber
    ) async throws(StoreError) -> Set<ItemID> {
        _ = try await calendarHead(of: list, for: account)
        return Set(
            try await all(CalendarSQL.changedItems, [list, sequence]) { row throws(PostgresError) in
                try row.decode(ItemID.self, at: 0)
            })
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

    /// One item as it was at a sequence, from everything that ever happened to the list; nil if it wasn't there.
    /// - Throws: as ``replay(of:for:through:until:planning:)``.
    package func item(
        _ item: ItemID, of list: ListID, for account: AccountID, at sequence: SequenceNumber
    ) async throws(StoreError) -> Item? {
        let replay = try await replay(of: list, for: account, through: sequence)
        // What the Activity no longer has can't be known.
        guard replay.replayContext.retainedFrom == nil else { return nil }
        return replay.folded.fold.state.items.first { $0.id == item }
    }
}

/// Reads a list's entries once, for its fold and its items' versions.
private struct CalendarReading {
    var fold = ListFold()
    private(set) var counter: DeviceCounter
    private var order = SortOrder()
    private var times: [ItemID: Times] = [:]

    private struct Times {
        var sequence: SequenceNumber
        var createdAt: Timestamp
        var changedAt: Timestamp
        var markedOffAt: Timestamp?

        static let bytes = 128
    }

    init(device: DeviceID?) { counter = DeviceCounter(device: device) }

    mutating func apply(
        _ entry: ConfirmedEntry, _ bytes: Int, _ reservation: ReadReservation
    ) throws(StoreError) {
        try fold.apply(entry, bytes, reservation)
        counter.note(entry)
        guard entry.entry.operation.concernsItem, let item = entry.entry.item else { return }
        order.apply(entry)
        if times[item] == nil { try reservation.reserve(Times.bytes + SortOrder.bytesOfItem) }
        var known =
            times[item]
            ?? Times(sequence: entry.sequence, createdAt: entry.madeAt, changedAt: entry.receivedAt)
        known.sequence = max(known.sequence, entry.sequence)
        known.createdAt = min(known.createdAt, entry.madeAt)
        known.changedAt = max(known.changedAt, entry.receivedAt)
        if entry.entry.operation == .markOff {
            known.markedOffAt = max(known.markedOffAt ?? entry.madeAt, entry.madeAt)
        }
        times[item] = known
    }

    func items(of state: ListState) -> [CalendarItem] {
        state.items.compactMap { item in
            guard let known = times[item.id] else { return nil }
            return CalendarItem(
                item: item, sequence: known.sequence, createdAt: known.createdAt, changedAt: known.changedAt,
                markedOffAt: known.markedOffAt, order: order.number(of: item.id) ?? 0)
        }
    }
}

extension CalendarHead {
    fileprivate init(row: Row) throws(PostgresError) {
        let (list, role, permission, head, epoch, trailFrom, isKnown) = try row.decode(
            (ListID, Role, Permission, SequenceNumber, PostgresUUID, SequenceNumber, Bool).self)
        self.init(
            list: list, role: role, permission: permission, head: head,
            epoch: UUIDBits(high: epoch.high, low: epoch.low), trailFrom: trailFrom,
            name: isKnown ? try Fields(cell: row[7])[Fields.text]?.string : nil,
            colour: isKnown ? try Fields(cell: row[8])[Fields.text]?.string : nil, isTitleKnown: isKnown)
    }
}
