public import TrolleyWire

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
