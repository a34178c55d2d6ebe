package import TrolleyJournal
import TrolleyPostgres

extension Store {
    /// What a write of another program needs to know of a list. Usually reads only the entries since the last write
    /// (`docs/decisions/3211`).
    /// - Parameter device: the device whose counter the caller needs, to append.
    /// - Throws: as ``fold(_:for:)``.
    package func calendarSpot(
        of list: ListID, for account: AccountID, countedFor device: DeviceID, _ wanted: CalendarWanted
    ) async throws(StoreError) -> CalendarSpot {
        if let kept = keptCalendars[list] {
            if let spot = try await continuing(kept, of: list, for: account, countedFor: device, wanted) {
                keep(kept, of: list)
                return spot
            }
            keptCalendars.remove(list)
        }
        let read = try await readCalendar(of: list, for: account, countedFor: device)
        let kept = KeptCalendar(read.reading, at: read.head.position, bytes: read.reservation.count)
        let spot = kept.withIndex { reading, index in
            CalendarSpot(wanted, on: read.head, reading, index, lastCounter: read.lastCounter)
        }
        // From here on it counts among those that are kept.
        read.reservation.shrink(to: 0)
        keep(kept, of: list)
        return spot
    }

    private func keep(_ kept: KeptCalendar, of list: ListID) {
        guard kept.end != nil else { return }
        keptCalendars.keep(kept, of: list, room: memory.free)
    }

    /// - Returns: nil: the kept fold can't be continued.
    private func continuing(
        _ kept: KeptCalendar, of list: ListID, for account: AccountID, countedFor device: DeviceID,
        _ wanted: CalendarWanted
    ) async throws(StoreError) -> CalendarSpot? {
        guard let end = kept.end else { return nil }
        let counter = kept.counter(of: device)
        let reservation = memory.reservation(for: account)
        let tail = try await withShortReadTurn(for: account) { () async throws -> CalendarTail? in
            try await read(list, for: account) { (pool: Pool) async throws -> (CalendarTail?, Position) in
                try await pool.withTransaction(
                    isolation: .readOnly,
                    opening: [
                        .execute(CalendarSQL.lists, [account, list]),
                        // From the last known entry on, which must still be there.
                        .execute(EntrySQL.entryRange, [list, end.last.sequence.advanced(by: -1), EntrySQL.atATime]),
                        .execute(CalendarSQL.lastCounter, [list, device, counter.newestMayBeSince]),
                    ]
                ) { connection, answers in
                    guard let row = answers[0].first else {
                        throw try await connection.membershipError(of: account, from: list)
                    }
                    let head = try CalendarHead(row: row)
                    var found: [(entry: ConfirmedEntry, bytes: Int)] = []
                    try answers[1].eachEntry { entry, bytes throws(StoreError) in
                        try reservation.reserve(Self.bytesOfTailEntry + bytes)
                        found.append((entry, bytes))
                    }
                    let tail = CalendarTail(
                        after: end, on: head, found,
                        archivedCounter: try answers[2][0].decode(Int64?.self, at: 0) ?? 0)
                    return ((tail, head.position), [])
                }
            } position: {
                $0.1
            }.0
        }
        return withExtendedLifetime(reservation) { tail.flatMap { kept.spot(for: wanted, after: $0, of: device) } }
    }

    /// About how many bytes an entry takes, without its fields.
    private static var bytesOfTailEntry: Int { 256 }
}

extension CalendarHead {
    var position: Position { Position(head: head, epoch: epoch) }
}
