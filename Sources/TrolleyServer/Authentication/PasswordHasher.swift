import NIOCore
import NIOPosix
import Synchronization
import TrolleyStore
import TrolleyWire

/// Hashes passwords on few threads of its own, so that many sign-ins at once neither exhaust the memory nor delay uploads.
///
/// Client addresses take turns, so an address that sends many passwords only delays itself. When the queue is full, the
/// newest password of the address with the most queued ones is refused, with the seconds to wait.
final class PasswordHasher: Sendable {
    private let threads: NIOThreadPool
    private let parallel: Int
    let gate: FairGate<IPAddress?>
    private let cost: PasswordHash.Cost
    private let metrics: ServiceMetrics
    /// The hash that an unknown account's password is compared with, so that the response time reveals nothing.
    private let decoy: PasswordHash
    /// Duration of the last hash.
    private let last = Mutex(Duration.zero)

    /// How many passwords are hashed at a time: on at most half of the processors, so that requests have the others, and two at
    /// the most, so that the memory is bounded.
    static let defaultParallel = max(1, min(2, System.coreCount / 2))

    /// - Parameter waiting: the maximum number of queued passwords.
    init(cost: PasswordHash.Cost, parallel: Int, waiting: Int, metrics: ServiceMetrics) {
        self.cost = cost
        self.parallel = max(1, parallel)
        gate = FairGate(parallel: self.parallel, waiting: waiting)
        self.metrics = metrics
        decoy = .unmatchable(cost: cost)
        threads = NIOThreadPool(numberOfThreads: self.parallel)
        threads.start()
    }

    /// The number of queued passwords.
    var waiting: Int { gate.waiting }

    /// - Parameter client: the client's address.
    /// - Throws: `Problem` `serviceUnavailable` when the queue is full.
    func hash(_ password: String, from client: IPAddress?) async throws -> PasswordHash {
        try await withTurn(client) { try PasswordHash(password, cost: self.cost) }
    }

    /// Whether the password matches. Without a stored hash the answer is false, after the same time.
    /// - Parameter client: the client's address.
    /// - Throws: `Problem` `serviceUnavailable` when the queue is full.
    func verify(_ password: String, against stored: PasswordHash?, from client: IPAddress?) async throws -> Bool {
        try await withTurn(client) { try (stored ?? self.decoy).matches(password) && stored != nil }
    }

    private func withTurn<Value: Sendable>(
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
        } catch is FairGate<IPAddress?>.QueueFull {
            metrics.count(.limited, [("by", "passwords")])
            let seconds = (last.withLock(\.self) * (waiting + parallel) / parallel).components.seconds
            throw Problem(
                .serviceUnavailable, "too many people are signing in; try again shortly",
                retryAfter: Int(min(max(1, seconds), 60)))
        }
    }
}
