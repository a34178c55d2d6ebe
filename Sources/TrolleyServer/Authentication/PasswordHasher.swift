import NIOPosix
import Synchronization
import TrolleyStore
import TrolleyWire

/// Hashes passwords on threads of its own, so that a storm of sign-ins neither takes all memory nor holds up uploads.
///
/// The addresses that passwords come from take turns: one that sends many waits behind itself. When too many wait, the newest
/// of the address with the most is refused, with the seconds after which there will be room.
final class PasswordHasher: Sendable {
    private let threads: NIOThreadPool
    private let parallel: Int
    let gate: FairGate<IPAddress?>
    private let cost: PasswordHash.Cost
    private let metrics: ServiceMetrics
    /// What an unknown account's password is compared with, so that the time to answer tells nothing.
    private let decoy: PasswordHash
    /// How long the last hash took.
    private let last = Mutex(Duration.zero)

    /// - Parameter waiting: passwords that wait at the most.
    init(cost: PasswordHash.Cost, parallel: Int, waiting: Int, metrics: ServiceMetrics) {
        self.cost = cost
        self.parallel = max(1, parallel)
        gate = FairGate(parallel: self.parallel, waiting: waiting)
        self.metrics = metrics
        decoy = .unmatchable(cost: cost)
        threads = NIOThreadPool(numberOfThreads: self.parallel)
        threads.start()
    }

    /// Passwords that wait for a thread.
    var waiting: Int { gate.waiting }

    /// - Parameter client: where the password comes from.
    /// - Throws: `Problem` `serviceUnavailable`, when too many wait.
    func hash(_ password: String, from client: IPAddress?) async throws -> PasswordHash {
        try await inTurn(client) { try PasswordHash(password, cost: self.cost) }
    }

    /// Whether the password matches; false, after the same time, when there is no stored hash.
    /// - Parameter client: where the password comes from.
    /// - Throws: `Problem` `serviceUnavailable`, when too many wait.
    func verify(_ password: String, against stored: PasswordHash?, from client: IPAddress?) async throws -> Bool {
        try await inTurn(client) { try (stored ?? self.decoy).matches(password) && stored != nil }
    }

    private func inTurn<Value: Sendable>(
        _ client: IPAddress?, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await gate.withTurn(of: client?.counted) {
                try await threads.runIfActive {
                    let began = ContinuousClock.now
                    defer {
                        let duration = ContinuousClock.now - began
                        self.last.withLock { $0 = duration }
                        self.metrics.time(.hashes, duration)
                    }
                    return try body()
                }
            }
        } catch is FairGate<IPAddress?>.Crowded {
            metrics.count(.limited, [("by", "passwords")])
            let seconds = (last.withLock(\.self) * (waiting + parallel) / parallel).components.seconds
            throw Problem(
                .serviceUnavailable, "many people sign in just now; try again shortly",
                retryAfter: Int(min(max(1, seconds), 60)))
        }
    }
}
