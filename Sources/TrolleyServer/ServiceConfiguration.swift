public import TrolleyWire

/// What an operator can set about the service.
public struct ServiceConfiguration: Sendable {
    public var version: String
    public var limits: Limits
    public var passwordCost: PasswordHash.Cost
    /// Passwords hashed at the same time at the most: each takes memory and a core.
    public var parallelPasswordHashes: Int
    /// Milliseconds after which the service compresses what no longer matters.
    public var compressionAge: Int64
    /// Who may sign up.
    public var registration: Registration

    public init(
        version: String, limits: Limits = Limits(), passwordCost: PasswordHash.Cost = .recommended,
        parallelPasswordHashes: Int = 2, compressionAge: Int64 = Age(days: 14).milliseconds,
        registration: Registration = .open
    ) {
        self.version = version
        self.limits = limits
        self.passwordCost = passwordCost
        self.parallelPasswordHashes = parallelPasswordHashes
        self.compressionAge = compressionAge
        self.registration = registration
    }
}
