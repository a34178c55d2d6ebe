import NIOPosix
import Synchronization
import TrolleyWire

/// Hashes passwords on threads of its own, so that a storm of sign-ins neither takes all memory nor holds up uploads.
/// Who comes when the line is long is sent away with the seconds after which it will be shorter.
final class PasswordHasher: Sendable {
    private let threads: NIOThreadPool
    private let parallel: Int
    private let maximum: Int
    private let cost: PasswordHash.Cost
    private let metrics: ServiceMetrics
    /// What an unknown account's password is compared with, so that the time to answer tells nothing.
    private let decoy: PasswordHash

    private struct Line {
        /// Waiting, or being hashed.
        var length = 0
        /// How long the last one took.
        var last = Duration.zero
    }
    private let line = Mutex(Line())

    /// - Parameter waiting: passwords that wait at the most.
    init(cost: PasswordHash.Cost, parallel: Int, waiting: Int, metrics: ServiceMetrics) {
        self.cost = cost
        self.parallel = max(1, parallel)
        maximum = self.parallel + max(0, waiting)
        self.metrics = metrics
        decoy = .unmatchable(cost: cost)
        threads = NIOThreadPool(numberOfThreads: self.parallel)
        threads.start()
    }

    /// Passwords that wait for a thread.
    var waiting: Int { line.withLock { max(0, $0.length - parallel) } }

    /// - Throws: `Problem` `serviceUnavailable`, when too many wait.
    func hash(_ password: String) async throws -> PasswordHash {
        try await inLine { try PasswordHash(password, cost: self.cost) }
    }

    /// Whether the password matches; false, after the same time, when there is no stored hash.
    /// - Throws: `Problem` `serviceUnavailable`, when too many wait.
    func verify(_ password: String, against stored: PasswordHash?) async throws -> Bool {
        try await inLine { (stored ?? self.decoy).matches(password) && stored != nil }
    }

    private func inLine<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let seconds: Int? = line.withLock { line in
            guard line.length < maximum else {
                let whole = (line.last * line.length / parallel).components.seconds
                return Int(min(max(1, whole), 60))
            }
            line.length += 1
            return nil
        }
        if let seconds {
            throw Problem(.serviceUnavailable, "many people sign in just now; try again shortly", retryAfter: seconds)
        }
        defer { line.withLock { $0.length -= 1 } }
        return try await threads.runIfActive {
            let began = ContinuousClock.now
            defer {
                let duration = ContinuousClock.now - began
                self.line.withLock { $0.last = duration }
                self.metrics.time(.hashes, duration)
            }
            return try body()
        }
    }
}
