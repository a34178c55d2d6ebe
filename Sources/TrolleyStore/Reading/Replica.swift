import Synchronization
import TrolleyJournal
public import TrolleyPostgres

/// A standby that answers what only reads, whenever it is exactly as far as the primary with the lists in question.
///
/// Who may read a list, and how far it is, the primary says, in one small statement. So nobody is served who was removed,
/// nobody is answered from the past, and a replica that lags is passed over. So is one that is ahead: it shows a commit as
/// soon as it has replayed it, the primary only when its synchronous standbys have answered. What the primary doesn't show
/// is not confirmed, and a token of it would look to the primary like one of a database that was lost.
public final class Replica: Sendable {
    let pool: Pool
    /// Until when it is not even asked, because it could not be reached.
    private let restsUntil = Mutex(ContinuousClock.now)
    private let served = Mutex(0)

    private static let rest = Duration.seconds(5)

    private let unreachable: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - pool: should give up soon when there is no connection; the primary can answer as well.
    ///   - unreachable: is told each time that it could not be reached, every few seconds at most.
    public init(pool: Pool, unreachable: @escaping @Sendable (any Error) -> Void = { _ in }) {
        self.pool = pool
        self.unreachable = unreachable
    }

    /// How often it has answered.
    public var answers: Int { served.withLock { $0 } }

    /// What the replica says, if it can, and if `isCurrent` with what the primary has said.
    func answer<Value>(_ body: (Pool) async throws -> Value, isCurrent: (Value) -> Bool) async -> Value? {
        guard restsUntil.withLock({ $0 <= .now }) else { return nil }
        do {
            let value = try await body(pool)
            guard isCurrent(value) else { return nil }
            served.withLock { $0 += 1 }
            return value
        } catch is StoreError {
            // It doesn't know the list or the member yet.
            return nil
        } catch let error as PostgresError where error.kind == .server {
            // Recovery was in the reader's way; that passes.
            return nil
        } catch {
            if Task.isCancelled { return nil }
            let isFirst = restsUntil.withLock { until in
                defer { until = .now + Self.rest }
                return until <= .now
            }
            if isFirst { unreachable(error) }
            return nil
        }
    }
}

extension Store {
    /// Reads something about a list, from the replica if that is as far as the primary.
    /// - Parameter position: how far what was read is.
    /// - Throws: `.notOnList`, `.gone`.
    func read<Value>(
        _ list: ListID, for account: AccountID, _ body: (Pool) async throws -> Value,
        position: (Value) -> Position
    ) async throws(StoreError) -> Value {
        if let replica {
            guard let primary = try await positions(of: [list], for: account)[list] else {
                throw try await absence(of: account, from: list)
            }
            if let value = await replica.answer(body, isCurrent: { position($0) == primary }) { return value }
        }
        return try await typed { try await body(pool) }
    }

    /// How far lists are that the account is on, by the primary.
    /// - Parameter lists: nil: all of them.
    func positions(
        of lists: [ListID]?, for account: AccountID
    ) async throws(StoreError) -> [ListID: Position] {
        let rows = try await all(HeadSQL.positions, [account, lists]) { row throws(PostgresError) in
            try row.decode((ListID, SequenceNumber, PostgresUUID).self)
        }
        return Dictionary(
            uniqueKeysWithValues: rows.map { list, head, epoch in
                (list, Position(head: head, epoch: UUIDBits(high: epoch.high, low: epoch.low)))
            })
    }
}

/// How far a list is.
struct Position: Hashable {
    let head: SequenceNumber
    let epoch: UUIDBits
}
