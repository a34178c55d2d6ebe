public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// A stretch of a list's Activity, newest first.
public struct ActivityStretch: Sendable {
    public var items: [ActivityItem]
    /// What is older is before this; nil at the list's beginning.
    public var next: SequenceNumber?
    public var epoch: UUIDBits
}

extension Store {
    /// What happened to a list, newest first.
    /// - Parameters:
    ///   - before: only what is older; nil: from the newest on.
    ///   - author: only what this person did, or what happened to them.
    ///   - item: only what happened to this item.
    ///   - limit: changes at the most.
    /// - Throws: `.notOnList`, `.gone`.
    public func activity(
        of list: ListID, for account: AccountID, before: SequenceNumber?, by author: AccountID?, of item: ItemID?,
        limit: Int
    ) async throws(StoreError) -> ActivityStretch {
        try await readSnapshot(of: list, for: account) { connection in
            let position = try await connection.expect(account, on: list)
            let from = before ?? SequenceNumber(rawValue: .max)
            let answers = try await connection.pipeline([
                .execute(ActivitySQL.page, [list, from, limit, author, item]), .execute(ActivitySQL.epoch),
            ])
            let epoch = try answers[1][0].decode(PostgresUUID.self, at: 0)
            // Somebody was invited by their address, before anybody knew whose it is.
            var person: Participant?
            if let author {
                let people = try await connection.share(of: list).participants
                person = people.first { $0.account == author } ?? Participant(account: author, status: .left)
            }
            let items = try answers[0].flatMap { try [ActivityItem](row: $0, concerning: person) }
            let oldest = try answers[0].last?.decode(SequenceNumber.self, at: 0)
            let epochBits = UUIDBits(high: epoch.high, low: epoch.low)
            return (
                ActivityStretch(items: items, next: answers[0].count < limit ? nil : oldest, epoch: epochBits),
                Position(head: position, epoch: epochBits)
            )
        }
    }

    /// A list as it was, from everything that ever happened to it.
    /// - Parameter through: the last change that counts; nil: all.
    /// - Throws: `.notOnList`, `.gone`.
    public func replay(
        of list: ListID, for account: AccountID, through: SequenceNumber?
    ) async throws(StoreError) -> ReplayResponse {
        try await readSnapshot(of: list, for: account) { connection in
            let head = try await connection.expect(account, on: list)
            let retained = try await connection.execute(ArchiveSQL.retained, [list])
            let (from, isPartial) = try retained[0].decode((Timestamp?, Bool).self)
            let answers = try await connection.pipeline([
                .execute(EntrySQL.activityOfList, [list, isPartial]), .execute(ActivitySQL.devices, [list]),
                .execute(ActivitySQL.epoch),
            ])
            let epoch = try answers[2][0].decode(PostgresUUID.self, at: 0)
            let entries = try answers[0].map { try ConfirmedEntry(row: $0) }
            let devices = try answers[1].map { row in
                let (device, seenAt, saidAt, least) = try row.decode(
                    (DeviceID, Timestamp, Timestamp?, Int64?).self)
                return DeviceReport(
                    device: device, heardOf: seenAt, queue: saidAt.map { DeviceReport.Queue(at: $0, least: least) })
            }
            let through = min(through ?? head, head)
            var timeline = Timeline(entries)
            let state = timeline.state(through: through)
            let shown = timeline.entries.prefix { $0.sequence <= through }
            let response = ReplayResponse(
                state: StateResponse(id: list, state: state, sequence: through, digest: state.digest.description),
                head: head,
                completeness: ReplayCompleteness(
                    of: entries, until: shown.last?.receivedAt ?? Timestamp(milliseconds: 0), devices: devices),
                retainedFrom: isPartial ? from : nil)
            return (response, Position(head: head, epoch: UUIDBits(high: epoch.high, low: epoch.low)))
        }
    }

    /// Reads from one snapshot, of the replica if that is as far as the primary.
    private func readSnapshot<Value>(
        of list: ListID, for account: AccountID, _ body: (Connection) async throws -> (Value, Position)
    ) async throws(StoreError) -> Value {
        try await read(list, for: account) { pool in
            try await pool.withTransaction(isolation: .readOnly) { try await body($0) }
        } position: {
            $0.1
        }.0
    }
}

extension Connection {
    /// - Returns: the list's head.
    /// - Throws: `StoreError.notOnList` or `.gone`.
    @discardableResult
    func expect(_ account: AccountID, on list: ListID) async throws -> SequenceNumber {
        guard let row = try await execute(ListSQL.forAccount, [account, list]).first else {
            throw try await absence(of: account, from: list)
        }
        return try ListResponse(row: row).head
    }
}

extension [ActivityItem] {
    /// A row of `ActivitySQL.page`: an entry, or what a new state of the share says has happened.
    fileprivate init(row: Row, concerning person: Participant?) throws(PostgresError) {
        guard let change = try row.decode(String?.self, at: 14) else {
            let entry = try ConfirmedEntry(row: row)
            self = [
                ActivityItem(
                    sequence: entry.sequence, at: entry.receivedAt, event: .entry(entry),
                    authorName: try row.decode(String?.self, at: 16))
            ]
            return
        }
        let (sequence, at) = (try row.decode(SequenceNumber.self, at: 0), try row.decode(Timestamp.self, at: 13))
        let before = try row.decode(String?.self, at: 15).map { (text) throws(PostgresError) in
            try Change(column: text).share
        }
        let changes = try Change(column: change).share?.changes(since: before ?? nil) ?? []
        self = changes.filter { change in
            person.map(change.participant.isSamePerson) ?? true
        }.map { change in
            ActivityItem(sequence: sequence, at: at, event: .participant(change), authorName: nil)
        }
    }
}

extension Change {
    fileprivate var share: ShareState? { if case .share(let share) = body { share } else { nil } }
}
