package import TrolleyJournal
import TrolleyPostgres
package import TrolleyWire

/// A page of a list's Activity, newest first.
package struct ActivityRange: Sendable {
    package var items: [ActivityItem]
    /// Older changes are before this sequence; nil at the list's beginning.
    package var next: SequenceNumber?
    package var epoch: UUIDBits
}

extension Store {
    /// A page of a list's Activity, newest first.
    /// - Parameters:
    ///   - before: returns only older changes; nil: starts at the newest.
    ///   - author: returns only changes that this person made, or that concern their membership.
    ///   - item: returns only changes of this item.
    ///   - limit: the largest number of changes. A page never has more than 250, which may hold 2 MiB of texts, twice.
    /// - Throws: `.notOnList`, `.gone`, `.overloaded`.
    package func activity(
        of list: ListID, for account: AccountID, before: SequenceNumber?, by author: AccountID?, of item: ItemID?,
        limit: Int
    ) async throws(StoreError) -> ActivityRange {
        let limit = min(limit, Self.itemsOfPage)
        return try await readSnapshot(of: list, for: account) { connection in
            let membership = try await connection.requireMembership(of: account, on: list)
            let from = before ?? SequenceNumber(rawValue: .max)
            let answers = try await connection.pipeline([
                .execute(ActivitySQL.page, [list, from, limit, author, item]), .execute(ActivitySQL.epoch),
            ])
            let epoch = try answers[1][0].decode(PostgresUUID.self, at: 0)
            // An invited person is first known only by their address.
            var person: Participant?
            if let author {
                let people = try await connection.share(of: list).participants
                person = people.first { $0.account == author } ?? Participant(account: author, status: .left)
            }
            let rows = try answers[0].prefix { row in try !row.isOmitted }
            var items: [ActivityItem] = []
            for (row, place) in zip(rows, rows.indices) {
                if let entry = try row.entryOfActivity {
                    items.append(entry)
                } else {
                    let older = try rows[place...].dropFirst().first { try $0.isShare }
                    items += try await connection.shareChanges(
                        in: row, after: older, of: list, concerning: person, shownTo: membership.role)
                }
            }
            try await connection.nameItems(of: &items, on: list)
            try await connection.nameTokens(of: &items)
            let oldest = try rows.last?.decode(SequenceNumber.self, at: 0)
            let isWhole = rows.count == answers[0].count && rows.count < limit
            let epochBits = UUIDBits(high: epoch.high, low: epoch.low)
            return (
                ActivityRange(items: items, next: isWhole ? nil : oldest, epoch: epochBits),
                Position(head: membership.head, epoch: epochBits)
            )
        }
    }

    private static let itemsOfPage = 250

    /// A list as it was, from everything that ever happened to it.
    /// - Parameters:
    ///   - through: the last change that counts; nil: all.
    ///   - moment: leaves out changes that the service received later; nil: none.
    ///   - planning: whether to plan how the list gets back to that.
    /// - Throws: `.notOnList`, `.gone`, `.overloaded`; `.tooLong` when it takes more memory than one account has.
    package func replay(
        of list: ListID, for account: AccountID, through: SequenceNumber?, until moment: Timestamp? = nil,
        planning: Bool = false
    ) async throws(StoreError) -> FoldedReplay {
        try await readSnapshot(of: list, for: account) { connection in
            let head = try await connection.requireMembership(of: account, on: list).head
            let answers = try await connection.pipeline([
                .execute(ArchiveSQL.retained, [list]), .execute(ActivitySQL.devices, [list]),
                .execute(ActivitySQL.epoch),
            ])
            let (from, isPartial) = try answers[0][0].decode((Timestamp?, Bool).self)
            let epoch = try answers[2][0].decode(PostgresUUID.self, at: 0)
            var known: [DeviceID: KnownDevice] = [:]
            let devices = try answers[1].map { row in
                let (device, account, name, seenAt, saidAt, least, mayHaveList) = try row.decode(
                    (DeviceID, AccountID, String, Timestamp, Timestamp?, Int64?, Bool).self)
                known[device] = KnownDevice(account: account, name: name, lastSeenAt: seenAt)
                return DeviceReport(
                    device: device, lastHeardFrom: seenAt,
                    queue: saidAt.map { DeviceReport.Queue(at: $0, least: least) }, mayHaveList: mayHaveList)
            }
            let through = min(through ?? head, head)
            let reservation = memory.reservation(for: account)
            var fold = ListFold()
            // The list as it is now, where it is to go back from there.
            var present = ListFold()
            var (entries, hasPassed) = (0, false)
            var sequence = SequenceNumber.start
            var counters = ReplayCompleteness.Counters()
            var last = Timestamp(milliseconds: 0)
            try await connection.forEachEntry(of: EntrySQL.activityRange, [list, isPartial]) {
                entry, bytes throws(StoreError) in
                try reservation.reserve(ReplayCompleteness.Counters.memory)
                counters.note(entry)
                if planning { try present.apply(entry, bytes, reservation) }
                if let moment, entry.receivedAt > moment { hasPassed = true }
                guard entry.sequence <= through, !hasPassed else { return }
                try fold.apply(entry, bytes, reservation)
                entries += 1
                sequence = entry.sequence
                last = entry.receivedAt
            }
            let position = Position(head: head, epoch: UUIDBits(high: epoch.high, low: epoch.low))
            let replay = FoldedReplay(
                folded: FoldedJournal(
                    list: list, sequence: moment == nil ? through : sequence, epoch: position.epoch, fold: fold,
                    entries: entries,
                    reservation: reservation),
                replayContext: ReplayContext(
                    head: head, completeness: counters.completeness(until: last, devices: devices),
                    retainedFrom: isPartial ? from : nil, devices: known),
                plan: planning ? present.restoration(to: fold.state).drafts : nil)
            return (replay, position)
        }
    }

    /// Reads from one snapshot: of the replica if it is as recent as the primary.
    /// - Parameter isShort: whether the read has a small bound. Then it doesn't wait for long ones.
    func readSnapshot<Value>(
        of list: ListID, for account: AccountID, isShort: Bool = false,
        _ body: (Connection) async throws -> (Value, Position)
    ) async throws(StoreError) -> Value {
        let read = { () async throws -> Value in
            try await self.read(list, for: account) { pool in
                try await pool.withTransaction(isolation: .readOnly) { try await body($0) }
            } position: {
                $0.1
            }.0
        }
        return isShort
            ? try await withShortReadTurn(for: account, read)
            : try await withReadTurn(for: account, on: list, read)
    }
}

/// A past state of a list.
package struct FoldedReplay: Sendable {
    package let folded: FoldedJournal
    package let replayContext: ReplayContext

    /// The drafts that restore the state, to be made in this order as one batch; nil if the caller didn't ask for them.
    package var plan: [EntryDraft]?

    package var completeness: ReplayCompleteness { replayContext.completeness }

    /// The JSON of ``ReplayResponse``, in pieces.
    package var pieces: StatePieces { StatePieces(folded, rest: replayContext, plan: plan) }
}

extension ReplayCompleteness.Counters {
    /// The most bytes that an entry takes.
    fileprivate static let memory = 48
}

extension Connection {
    /// Adds to entries the text that their item had then.
    fileprivate func nameItems(of activity: inout [ActivityItem], on list: ListID) async throws {
        let items = Set(activity.lazy.compactMap(\.item))
        guard !items.isEmpty else { return }
        let sequences = activity.lazy.filter { $0.item != nil }.map(\.sequence)
        var texts: [SequenceNumber: String] = [:]
        for row in try await execute(ActivitySQL.names, [list, Array(items), Array(sequences)]) {
            let (sequence, text) = try row.decode((SequenceNumber, String?).self)
            texts[sequence] = text
        }
        for index in activity.indices { activity[index].itemText = texts[activity[index].sequence] }
    }

    /// - Returns: the list, as the account sees it.
    /// - Throws: `StoreError.notOnList` or `.gone`.
    @discardableResult
    func requireMembership(of account: AccountID, on list: ListID) async throws -> ListResponse {
        guard let row = try await execute(ListSQL.forAccount, [account, list]).first else {
            throw try await membershipError(of: account, from: list)
        }
        return try ListResponse(row: row)
    }
}

extension ActivityItem {
    /// The item that an entry concerns.
    fileprivate var item: ItemID? { if case .entry(let entry) = event { entry.entry.item } else { nil } }
}

// Rows of `ActivitySQL.page`.
extension Row {
    /// Whether the page ends before this change.
    fileprivate var isOmitted: Bool {
        get throws(PostgresError) {
            let (isShare, share) = (try isShare, try decode(String?.self, at: 14))
            let difference = try decode(String?.self, at: 15)
            return isShare && share == nil && difference == nil
        }
    }

    fileprivate var isShare: Bool { get throws(PostgresError) { try decode(String?.self, at: 2) == nil } }

    /// nil: a state of the share.
    fileprivate var entryOfActivity: ActivityItem? {
        get throws(PostgresError) {
            if try isShare { return nil }
            let entry = try ConfirmedEntry(row: self)
            return ActivityItem(
                sequence: entry.sequence, at: entry.receivedAt, event: .entry(entry),
                authorName: try decode(String?.self, at: 16))
        }
    }
}

extension Connection {
    /// What has changed with a state of the share. A state from before states had differences is compared with the
    /// state before: that of the page or, after the page's last, a state that is read for it.
    /// - Parameter older: the row of the state before, if the page has it.
    fileprivate func shareChanges(
        in row: Row, after older: Row?, of list: ListID, concerning person: Participant?, shownTo role: Role
    ) async throws -> [ActivityItem] {
        let (sequence, at) = (try row.decode(SequenceNumber.self, at: 0), try row.decode(Timestamp.self, at: 13))
        let changes: [ParticipantChange]
        if let difference = try row.decode(String?.self, at: 15) {
            changes = try ShareDifference(column: difference).changes(shownTo: role)
        } else {
            let share = try Change(column: row.decode(String.self, at: 14)).shown(to: role).share
            let before: ShareState?
            if let whole = try older?.decode(String?.self, at: 14) {
                before = try Change(column: whole).share
            } else {
                before = try await recordedShare(of: list, before: sequence)?.state
            }
            changes = share?.changes(since: before?.shown(to: role)) ?? []
        }
        return changes.filter { change in
            person.map(change.participant.isSamePerson) ?? true
        }.map { change in
            ActivityItem(sequence: sequence, at: at, event: .participant(change), authorName: nil)
        }
    }
}
