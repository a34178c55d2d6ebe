import Synchronization
import TrolleyPostgres

/// Why the database can't do something just now. It passes, or an operator ends it.
public enum Outage: String, Hashable, Sendable, CaseIterable {
    /// It can't be reached, starts or stops.
    case unreachable
    /// A node of a cluster is away: what stands there can't be reached, and the rest can.
    case nodeAway
    /// Its disk is full.
    case diskFull
    /// It only answers what reads: a standby, or somebody has made it read-only.
    case readOnly
    /// It has too many connections, too little memory, or takes too long.
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

    /// Whether reading goes on all the same.
    var concernsWrites: Bool { self == .diskFull || self == .readOnly }
}

extension PostgresError {
    /// Whether the server that was asked has answered that it can't reach another one.
    var isNodeAway: Bool {
        kind == .server && sqlState?.errorClass == "08"
    }
}

extension StoreError {
    /// Whether what was asked for stands on a node that is away.
    var isNodeAway: Bool { outage == .nodeAway }

    /// Set when the same call may succeed later because the database is ill, not because of what was asked.
    public var outage: Outage? {
        if case .unavailable(let error) = self { Outage(error) } else { nil }
    }
}

/// Remembers that writing has failed, for whoever asks whether the service is ready.
final class WriteHealth: Sendable {
    /// A failure that is older than this says nothing any more: perhaps nobody has written since.
    static let memory: Duration = .seconds(60)

    private let last = Mutex<(error: PostgresError, at: ContinuousClock.Instant)?>(nil)

    func note(_ error: StoreError, at now: ContinuousClock.Instant = .now) {
        guard case .unavailable(let error) = error, Outage(error).concernsWrites else { return }
        last.withLock { $0 = (error, now) }
    }

    /// Something was written.
    func noteSuccess() {
        last.withLock { $0 = nil }
    }

    /// What writing failed with last, lately; nil when something was written since.
    func failure(at now: ContinuousClock.Instant = .now) -> PostgresError? {
        last.withLock { last in
            last.flatMap { now - $0.at < Self.memory ? $0.error : nil }
        }
    }
}
