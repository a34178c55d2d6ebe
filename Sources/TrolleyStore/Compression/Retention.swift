public import TrolleyWire

/// How long data is kept, in milliseconds.
public struct Retention: Sendable, Hashable {
    /// The age from which entries are compressed.
    public var compressionAge: Int64
    /// How long discards stay in the stream. A device that was away for longer fetches snapshots.
    public var trail: Int64
    /// How long compressed entries stay in the Activity; nil: for ever.
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
