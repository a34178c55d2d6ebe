import Synchronization
import TrolleyJournal
package import TrolleyPostgres

/// A standby that answers reads when its lists have exactly the primary's heads.
///
/// The primary answers who may read a list and what its head is, in one small statement. So a removed person receives
/// nothing, nobody receives old data, and a replica that lags is not used. A replica that is ahead is not used either:
/// it shows a commit as soon as it has replayed it, but the primary only when its synchronous standbys have answered. A
/// change that the primary doesn't show is not confirmed, and a token for it would look to the primary like a token of
/// a lost database.
package final class Replica: Sendable {
    let pool: Pool
    /// Until when it is not asked, because it could not be reached.
    private let unavailableUntil = Mutex(ContinuousClock.now)
    private let served = Mutex(0)

    private static let retryInterval = Duration.seconds(5)

    private let unreachable: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - pool: should time out soon when there is no connection, because the primary can answer as well.
    ///   - unreachable: called when the replica could not be reached, every few seconds at most.
    package init(pool: Pool, unreachable: @escaping @Sendable (any Error) -> Void = { _ in }) {
        self.pool = pool
        self.unreachable = unreachable
    }

    /// The number of answers that came from the replica.
    package var answers: Int { served.withLock { $0 } }

    /// The replica's answer, if it has one that `isCurrent` accepts.
    func answer<Value>(_ body: (Pool) async throws -> Value, isCurrent: (Value) -> Bool) async -> Value? {
        guard unavailableUntil.withLock({ $0 <= .now }) else { return nil }
        do {
            let value = try await body(pool)
            guard isCurrent(value) else { return nil }
            served.withLock { $0 += 1 }
            return value
        } catch is StoreError {
            // The replica doesn't know the list or the member yet.
            return nil
        } catch let error as PostgresError where error.kind == .server {
            // Recovery has cancelled the statement; the condition passes.
            return nil
        } catch {
            if Task.isCancelled { return nil }
            let isFirst = unavailableUntil.withLock { until in
                defer { until = .now + Self.retryInterval }
                return until <= .now
            }
            if isFirst { unreachable(error) }
            return nil
        }
    }
}

extension Store {
    /// Reads something about a list: from the replica if it has the primary's head, otherwise from the primary, or from the
    /// list's node.
    /// - Parameter position: the head of the value that was read.
    /// - Throws: `.notOnList`, `.gone`.
    func read<Value>(
        _ list: ListID, for account: AccountID, _ body: (Pool) async throws -> Value,
        position: (Value) -> Position
    ) async throws(StoreError) -> Value {
        if let replica {
            guard let primary = try await positions(of: [list], for: account)[list] else {
                throw try await membershipError(of: account, from: list)
            }
            if let value = await replica.answer(body, isCurrent: { position($0) == primary }) { return value }
        }
        return try await typed { try await topology.onNode(of: list, body) }
    }

    /// The heads of the account's lists, from the primary.
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

/// The head of a list and its mark.
struct Position: Hashable {
    let head: SequenceNumber
    let epoch: UUIDBits
}
