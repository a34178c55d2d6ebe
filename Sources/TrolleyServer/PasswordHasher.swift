import NIOPosix

/// Hashes passwords on threads of its own, so that a storm of sign-ins neither takes all memory nor holds up uploads.
struct PasswordHasher: Sendable {
    private let threads: NIOThreadPool
    private let cost: PasswordHash.Cost
    /// What an unknown account's password is compared with, so that the time to answer tells nothing.
    private let decoy: PasswordHash

    init(cost: PasswordHash.Cost, parallel: Int) {
        self.cost = cost
        decoy = .unmatchable(cost: cost)
        threads = NIOThreadPool(numberOfThreads: max(1, parallel))
        threads.start()
    }

    func hash(_ password: String) async throws -> PasswordHash {
        try await threads.runIfActive { try PasswordHash(password, cost: cost) }
    }

    /// Whether the password matches; false, after the same time, when there is no stored hash.
    func verify(_ password: String, against stored: PasswordHash?) async throws -> Bool {
        try await threads.runIfActive { (stored ?? decoy).matches(password) && stored != nil }
    }
}
