import TrolleyWire

/// How long data is kept, in milliseconds.
package struct Retention: Sendable, Hashable {
    /// The age from which entries are compressed.
    package var compressionAge: Int64
    /// How long discards stay in the stream. A device that was away for longer fetches snapshots.
    package var trail: Int64
    /// How long compressed entries stay in the Activity; nil: for ever.
    package var activity: Int64?

    package init(
        compressionAge: Int64 = Age(days: 14).milliseconds, trail: Int64 = Age(days: 90).milliseconds,
        activity: Int64? = nil
    ) {
        self.compressionAge = compressionAge
        self.trail = trail
        self.activity = activity
    }
}
