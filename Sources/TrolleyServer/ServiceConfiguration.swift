public import TrolleyWire

/// What an operator can set about the service.
public struct ServiceConfiguration: Sendable {
    public var version: String
    public var limits: Limits
    public var passwordCost: PasswordHash.Cost
    /// Passwords hashed at the same time at the most: each takes memory and a core.
    public var parallelPasswordHashes: Int
    public var retention: Retention

    public init(
        version: String, limits: Limits = Limits(), passwordCost: PasswordHash.Cost = .recommended,
        parallelPasswordHashes: Int = 2, retention: Retention = Retention()
    ) {
        self.version = version
        self.limits = limits
        self.passwordCost = passwordCost
        self.parallelPasswordHashes = parallelPasswordHashes
        self.retention = retention
    }
}

/// How long what is kept. All in milliseconds.
public struct Retention: Sendable, Hashable {
    /// When what no longer matters is compressed.
    public var compressionAge: Int64
    /// How long discards stay in the stream: a device that was away for longer fetches its lists afresh.
    public var trail: Int64
    /// How long what was compressed away stays in the Activity; nil: for ever.
    public var activity: Int64?

    public init(
        compressionAge: Int64 = Age(days: 14).milliseconds, trail: Int64 = Age(days: 90).milliseconds,
        activity: Int64? = nil
    ) {
        self.compressionAge = compressionAge
        self.trail = trail
        self.activity = activity
    }
}
