public import TrolleyJournal

/// The version of the rules by which devices and the service fold. Both state it with each fetch, because a device that
/// folds by other rules would show a different list.
///
/// - 1: `add` and `move` place an item in the order of the stream.
/// - 2: they place it in the order in which they were made (`docs/journal.md`, 'Place').
/// - 3: there are messages, and a device keeps an entry with an operation that it doesn't know. It folds lists as 2 does.
///
/// The `1` in `/v1` is independent of this: it is the version of the calls and their shapes.
public enum ProtocolVersion {
    /// The version in this program.
    public static let current = 3
    /// The oldest version that folds lists as this program does.
    public static let oldest = 2

    /// Whether a device or service of this version folds lists as this program does. A later service answers a device with
    /// the device's own version if it folds as that version does.
    public static func isCompatible(_ version: Int) -> Bool { (oldest...current).contains(version) }
}

extension TrolleyJournal.Operation {
    /// The first protocol version that can read the operation.
    public var protocolVersion: Int { concernsItem || concernsList ? 1 : 3 }
}
