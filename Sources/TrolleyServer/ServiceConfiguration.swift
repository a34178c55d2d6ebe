public import TrolleyWire

/// What an operator can set about the service.
public struct ServiceConfiguration: Sendable {
    public var version: String
    public var limits: Limits
    public var passwordCost: PasswordHash.Cost
    /// Passwords hashed at the same time at the most: each takes memory and a core.
    public var parallelPasswordHashes: Int

    public init(
        version: String, limits: Limits = Limits(), passwordCost: PasswordHash.Cost = .recommended,
        parallelPasswordHashes: Int = 2
    ) {
        self.version = version
        self.limits = limits
        self.passwordCost = passwordCost
        self.parallelPasswordHashes = parallelPasswordHashes
    }
}
