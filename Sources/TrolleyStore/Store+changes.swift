public import TrolleyJournal
import TrolleyPostgres
public import TrolleyWire

/// A stretch of a list's stream.
public struct ChangeStretch: Sendable {
    public let list: ListID
    /// The list's newest change; beyond the last of `changes` when there are more than the limit.
    public let head: SequenceNumber
    public let epoch: UUIDBits
    /// In order, without gaps.
    public var changes: [Change]
    /// Whether the list was looked into; if not, lists before it have used the limit up.
    public let isReached: Bool
}

/// What is new on an account's lists.
public struct AllChanges: Sendable {
    /// Every list that the account is on, oldest first, also those with nothing new.
    public var stretches: [ChangeStretch]
    /// Lists that were asked for and that the account is not on.
    public var gone: [ListID: ListGoneReason]
}

extension Store {
    /// The changes of a list that follow `after`, at most `limit`.
    /// - Throws: `.notOnList`, `.gone`.
    public func changes(
        of list: ListID, for account: AccountID, after: SequenceNumber, limit: Int
    ) async throws(StoreError) -> ChangeStretch {
        let rows = try await execute(ChangeSQL.ofList, [account, list, limit, after])
        do {
            if let stretch = try [ChangeStretch](rows).first { return stretch }
        } catch { throw StoreError(error) }
        throw try await absence(of: account, from: list)
    }

    /// What is new on all lists of an account, at most `limit` changes a list, and not many more in all. Lists that `after` doesn't name are
    /// answered from their beginning.
    /// - Parameter afresh: lists that are not in `after`, and of which to tell as well whether they are gone.
    public func changes(
        for account: AccountID, after: [ListID: SequenceNumber], afresh: [ListID] = [], limit: Int
    ) async throws(StoreError) -> AllChanges {
        let rows = try await execute(
            ChangeSQL.ofAccount, [account, Array(after.keys), limit, Array(after.values)])
        var all: AllChanges
        do { all = AllChanges(stretches: try [ChangeStretch](rows), gone: [:]) } catch { throw StoreError(error) }
        let absent = Set(after.keys).union(afresh).subtracting(all.stretches.map(\.list))
        guard !absent.isEmpty else { return all }
        let reasons = try await self.all(MemberSQL.departures, [account, Array(absent)]) { row throws(PostgresError) in
            try row.decode((ListID, ListGoneReason).self)
        }
        // A list that never was this account's is told apart from one that was in nothing.
        all.gone = Dictionary(uniqueKeysWithValues: absent.map { ($0, .removed) })
        for (list, reason) in reasons { all.gone[list] = reason }
        return all
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
        let rows = try await execute(ChangeSQL.ofList, [account, list, Int.max, SequenceNumber.start])
        do {
            return try [ChangeStretch](rows).first.map { ($0.head, ListState(folding: $0.entries).digest) }
        } catch { throw StoreError(error) }
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

extension [ChangeStretch] {
    /// Reads the rows of ``ChangeSQL``: those of a list stand together.
    fileprivate init(_ rows: Rows) throws(PostgresError) {
        self = []
        for row in rows {
            let (list, head, epoch) = try row.decode((ListID, SequenceNumber, PostgresUUID).self)
            if last?.list != list {
                let epoch = UUIDBits(high: epoch.high, low: epoch.low)
                let isReached = try row.decode(Bool.self, at: 18)
                append(ChangeStretch(list: list, head: head, epoch: epoch, changes: [], isReached: isReached))
            }
            if let change = try Change(row: row) { self[count - 1].changes.append(change) }
        }
    }
}

extension Change {
    /// nil where the row has no change.
    fileprivate init?(row: Row) throws(PostgresError) {
        guard let sequence = try row.decode(SequenceNumber?.self, at: 3) else { return nil }
        if let event = try row.decode(String?.self, at: 17) {
            self = try Change(column: event)
        } else {
            self.init(sequence: sequence, body: .entry(try ConfirmedEntry(row: row, from: 3)))
        }
    }
}
