import Synchronization
import TrolleyPostgres

/// Why the database can't serve a request just now. The condition passes, or an operator ends it.
package enum Outage: String, Hashable, Sendable, CaseIterable {
    /// The database can't be reached, starts or stops.
    case unreachable
    /// A node of a Citus cluster is unreachable. Data on the other nodes is available.
    case nodeAway
    /// The disk is full.
    case diskFull
    /// The database serves reads only: it is a standby, or was made read-only.
    case readOnly
    /// The database has too many connections, too little memory, or takes too long.
    case overloaded

    init(_ error: PostgresError) {
        self =
            switch (error.kind, error.sqlState) {
            case _ where error.isNodeAway: .nodeAway
            case (_, .diskFull?): .diskFull
            case (_, .readOnlyTransaction?): .readOnly
            case (_, let state?) where state.errorClass == "53": .overloaded
            case (.acquireTimedOut, nil), (.statementTimedOut, _), (.cancelled, _), (_, .queryCanceled?): .overloaded
            case (_, .serializationFailure?), (_, .deadlockDetected?), (_, .lockNotAvailable?): .overloaded
            default: .unreachable
            }
    }

    /// Whether reads still work.
    var concernsWrites: Bool { self == .diskFull || self == .readOnly }
}

extension PostgresError {
    /// Whether the server has answered that it can't reach another node, or that it has lost a connection there.
    var isNodeAway: Bool {
        kind == .server && (sqlState?.errorClass == "08" || sqlState == .internalError && isAboutConnectionToNode)
    }

    // Citus reports a connection that broke while a statement or a COMMIT ran as an internal error (`ReportResultError`,
    // `CheckRemoteTransactionsHealth` and `ErrorIfPostCommitFailedShardPlacements` in its source). Its own texts are never
    // translated; the one of libpq, which comes with the first of them, is. A node's own internal error has the same CONTEXT
    // and can't be told from it.
    private var isAboutConnectionToNode: Bool {
        context?.contains("while executing command on ") == true
            || message.hasPrefix("failure on connection marked as essential: ")
            || message.hasPrefix("could not commit transaction for shard ")
    }
}

extension StoreError {
    /// Whether the data is on a node that is unreachable.
    var isNodeAway: Bool { outage == .nodeAway }

    /// Set when the same call may succeed later, because the database has a problem and the request has none.
    package var outage: Outage? {
        if case .unavailable(let error) = self { Outage(error) } else { nil }
    }
}

/// Remembers failed writes, for readiness checks.
final class WriteHealth: Sendable {
    /// A failure older than this is ignored, because nobody may have written since.
    static let memory: Duration = .seconds(60)

    private let last = Mutex<(error: PostgresError, at: ContinuousClock.Instant)?>(nil)

    func note(_ error: StoreError, at now: ContinuousClock.Instant = .now) {
        guard case .unavailable(let error) = error, Outage(error).concernsWrites else { return }
        last.withLock { $0 = (error, now) }
    }

    /// Records a successful write.
    func noteSuccess() {
        last.withLock { $0 = nil }
    }

    /// The last failure of a write within ``memory``; nil if a write has succeeded since.
    func failure(at now: ContinuousClock.Instant = .now) -> PostgresError? {
        last.withLock { last in
            last.flatMap { now - $0.at < Self.memory ? $0.error : nil }
        }
    }
}
