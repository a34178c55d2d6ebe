public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// A stretch of a list's stream.
public struct ChangeStretch: Sendable {
    public let list: ListID
    /// The list's newest change; beyond the last of `stored` when there are more than the limit.
    public let head: SequenceNumber
    public let epoch: UUIDBits
    /// Up to here discards may be missing in the stream.
    public let trailFrom: SequenceNumber
    /// When the change was received that stands where the stretch was to begin; nil when nobody knows any more.
    public let mark: Timestamp?
    /// Role of the account that reads. It decides what is shown of the share's states.
    public let reader: Role
    /// In order. Where one is missing it is an entry that was discarded later, or a discard up to `trailFrom`.
    public internal(set) var stored = StoredChanges.none
    /// Whether there is nothing beyond `stored`.
    public internal(set) var isComplete = true
    /// Whether the list was looked into; if not, lists before it have used the limit up.
    public internal(set) var isReached = true

    /// The changes, read.
    public var changes: [Change] { get throws(StoreError) { try stored.read() } }

    /// The place of the last change, and when it was received; nil when there is none.
    public var last: (sequence: SequenceNumber, receivedAt: Timestamp)? {
        get throws(StoreError) { try stored.last() }
    }

    /// Leaves only the first changes.
    public mutating func truncate(to count: Int) {
        guard stored.count > count else { return }
        stored.truncate(to: count)
        isComplete = false
    }
}

/// What is new on an account's lists.
public struct AllChanges: Sendable {
    /// Every list that the account is on, oldest first, also those with nothing new.
    public var stretches: [ChangeStretch]
    /// Lists that were asked for and that the account is not on.
    public var gone: [ListID: ListGoneReason]
    /// Those of them that the account never was on, as far as this database knows.
    public var unknown: Set<ListID> = []
    /// Lists that were asked for and that stand on a node that is away. Nothing is said of them, nor of other lists there.
    public var unreachable: Set<ListID> = []
    /// What the device that asks has said last of itself, if that is known and recent.
    var report: [UInt8]?
}

extension Store {
    /// The changes of a list that follow `after`, at most `limit`.
    /// - Throws: `.notOnList`, `.gone`.
    public func changes(
        of list: ListID, for account: AccountID, after: SequenceNumber, limit: Int
    ) async throws(StoreError) -> ChangeStretch {
        // Who has the beginning mostly lacks nothing, or little: many who ask that are answered by one statement.
        if replica == nil, after > .start {
            let question = ListQuestion(account: account, list: list, after: after)
            switch try await groupedReads.stretch(question) {
            case .answer(var stretch) where stretch.isReached:
                stretch.truncate(to: limit)
                return stretch
            case .nothing: throw try await absence(of: account, from: list)
            case .answer, .impossible: break
            }
        }
        return try await heavily(for: account) {
            var stretch = try await read(list, for: account) { pool in
                if let stretch = try await pool.stretch(of: list, for: account, after: after, limit: limit) {
                    return stretch
                }
                throw try await pool.absence(of: account, from: list)
            } position: {
                $0.position
            }
            if stretch.stored.memory > Self.unheld {
                stretch.stored.count(to: try hold(stretch.stored.memory, for: account))
            }
            return stretch
        }
    }

    /// Bytes of an answer that are not worth counting.
    static let unheld = 64 << 10
    /// Changes that are read without waiting for a turn.
    static let short = 128

    /// What is new on all lists of an account, at most `limit` changes a list, and not many more in all. Lists that `after` doesn't name are
    /// answered from their beginning.
    /// - Parameters:
    ///   - device: the device that asks, if it is one that says how its queues stand.
    ///   - afresh: lists that are not in `after`, and of which to tell as well whether they are gone.
    public func changes(
        for account: AccountID, device: DeviceID? = nil, after: [ListID: SequenceNumber], afresh: [ListID] = [],
        limit: Int
    ) async throws(StoreError) -> AllChanges {
        if try await topology.isDistributed() {
            let reading = DistributedReading(store: self, account: account, after: after, limit: limit)
            let named = Set(after.keys).union(afresh)
            let all = try await reading.changes(for: device, named: named)
            return try await departures(from: all, for: account, named: named)
        }
        var all = AllChanges(stretches: [], gone: [:])
        var isShort = false
        if replica == nil, let device, !after.isEmpty, afresh.isEmpty,
            case .answer(let heads) = try await groupedReads.heads(Session(account: account, device: device))
        {
            all.report = heads.report
            if heads.lists.count == after.count, heads.lists.allSatisfy({ after[$0.list] == $0.head }) {
                all.stretches = heads.lists
                return all
            }
            isShort =
                heads.lists.reduce(0) { $0 + $1.head.rawValue - (after[$1.list] ?? .start).rawValue } <= Self.short
        }
        let read = { () async throws -> [ChangeStretch] in
            var stretches = try await self.stretches(for: account, after: after, limit: limit)
            // They are rows of one answer.
            if let memory = stretches.map(\.stored.memory).max(), memory > Self.unheld {
                let holding = try hold(memory, for: account)
                for index in stretches.indices { stretches[index].stored.count(to: holding) }
            }
            return stretches
        }
        all.stretches = isShort ? try await typed(read) : try await heavily(for: account, read)
        return try await departures(from: all, for: account, named: Set(after.keys).union(afresh))
    }

    /// Adds which of the lists that were asked for the account is not on.
    private func departures(
        from all: AllChanges, for account: AccountID, named: Set<ListID>
    ) async throws(StoreError) -> AllChanges {
        var all = all
        let absent = named.subtracting(all.stretches.map(\.list)).subtracting(all.unreachable)
        guard !absent.isEmpty else { return all }
        let reasons = try await self.all(MemberSQL.departures, [account, Array(absent)]) { row throws(PostgresError) in
            try row.decode((ListID, ListGoneReason).self)
        }
        // A list that never was this account's is told apart from one that was in nothing.
        all.gone = Dictionary(uniqueKeysWithValues: absent.map { ($0, .removed) })
        for (list, reason) in reasons { all.gone[list] = reason }
        all.unknown = absent.subtracting(reasons.map(\.0))
        return all
    }

    private func stretches(
        for account: AccountID, after: [ListID: SequenceNumber], limit: Int
    ) async throws(StoreError) -> [ChangeStretch] {
        func read(_ pool: Pool) async throws -> [ChangeStretch] {
            try await pool.stretches(for: account, after: after, limit: limit)
        }
        if let replica {
            let primary = try await positions(of: nil, for: account)
            // Mostly nothing is new; then the primary has said all that there is to say.
            let isNews = primary.contains { list, position in after[list] != position.head }
            let found = isNews ? await replica.answer(read) { $0.areExactly(primary) } : nil
            if let found { return found }
        }
        return try await typed { try await read(pool) }
    }

    func absence(of account: AccountID, from list: ListID) async throws(StoreError) -> StoreError {
        let reason = try await first(MemberSQL.departure, [list, account]) { row throws(PostgresError) in
            try row.decode(ListGoneReason.self, at: 0)
        }
        return reason.map { .gone($0) } ?? .notOnList
    }
}

extension ChangeStretch {
    var entries: [ConfirmedEntry] {
        get throws(StoreError) {
            try changes.compactMap { change in if case .entry(let entry) = change.body { entry } else { nil } }
        }
    }
}
