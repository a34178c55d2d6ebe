public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// A stretch of a list's stream.
public struct ChangeStretch: Sendable {
    public let list: ListID
    /// The list's newest change; beyond the last of `changes` when there are more than the limit.
    public let head: SequenceNumber
    public let epoch: UUIDBits
    /// Up to here discards may be missing in the stream.
    public let trailFrom: SequenceNumber
    /// In order. Where one is missing it is an entry that was discarded later, or a discard up to `trailFrom`.
    public internal(set) var changes: [Change]
    /// When each of `changes` was received.
    public internal(set) var times: [Timestamp] = []
    /// Whether there is nothing beyond `changes`.
    public internal(set) var isComplete = true
    /// When the change was received that stands where the stretch was to begin; nil when nobody knows any more.
    public internal(set) var mark: Timestamp?
    /// Whether the list was looked into; if not, lists before it have used the limit up.
    public let isReached: Bool

    /// Leaves only the first changes.
    public mutating func truncate(to count: Int) {
        guard changes.count > count else { return }
        changes.removeLast(changes.count - count)
        times.removeLast(times.count - count)
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
}

extension Store {
    /// The changes of a list that follow `after`, at most `limit`.
    /// - Throws: `.notOnList`, `.gone`.
    public func changes(
        of list: ListID, for account: AccountID, after: SequenceNumber, limit: Int
    ) async throws(StoreError) -> ChangeStretch {
        try await read(list, for: account) { pool in
            let stretches = try await pool.stretches(
                .execute(ChangeSQL.ofList, [account, list, limit, after]), after: [list: after], limit: limit)
            if let stretch = stretches.first { return stretch }
            throw try await pool.absence(of: account, from: list)
        } position: { stretch in
            // What a token is beyond only the primary can judge.
            stretch.head < after ? .nowhere : stretch.position
        }
    }

    /// What is new on all lists of an account, at most `limit` changes a list, and not many more in all. Lists that `after` doesn't name are
    /// answered from their beginning.
    /// - Parameter afresh: lists that are not in `after`, and of which to tell as well whether they are gone.
    public func changes(
        for account: AccountID, after: [ListID: SequenceNumber], afresh: [ListID] = [], limit: Int
    ) async throws(StoreError) -> AllChanges {
        var all = AllChanges(
            stretches: try await stretches(for: account, after: after, limit: limit), gone: [:])
        let absent = Set(after.keys).union(afresh).subtracting(all.stretches.map(\.list))
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
            try await pool.stretches(
                .execute(ChangeSQL.ofAccount, [account, Array(after.keys), limit, Array(after.values)]),
                after: after, limit: limit)
        }
        if let replica {
            let primary = try await positions(of: nil, for: account)
            // Mostly nothing is new; then the primary has said all that there is to say.
            let isNews = primary.contains { list, position in after[list] != position.head }
            let found = isNews ? await replica.answer(read) { $0.hasReached(primary, after: after) } : nil
            if let found { return found }
        }
        return try await typed { try await read(pool) }
    }

    /// The folded list.
    /// - Throws: `.notOnList`, `.gone`.
    public func state(of list: ListID, for account: AccountID) async throws(StoreError) -> StateResponse {
        let stretch = try await changes(of: list, for: account, after: .start, limit: .max)
        let state = ListState(folding: stretch.entries)
        return StateResponse(id: list, state: state, sequence: stretch.head, digest: state.digest.description)
    }

    /// The digest of a list, and the sequence that it is of; nil when the account is no longer on the list.
    public func digest(
        of list: ListID, for account: AccountID
    ) async throws(StoreError) -> (SequenceNumber, StateDigest)? {
        try await typed {
            let stretches = try await pool.stretches(
                .execute(ChangeSQL.ofList, [account, list, Int.max, SequenceNumber.start]), after: [list: .start],
                limit: .max)
            return stretches.first.map { ($0.head, ListState(folding: $0.entries).digest) }
        }
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
        changes.compactMap { change in if case .entry(let entry) = change.body { entry } else { nil } }
    }
}
