/// The version of the rules by which devices and the service fold. Both state it with each fetch, because a device that
/// folds by other rules would show a different list.
///
/// - 1: `add` and `move` place an item in the order of the stream.
/// - 2: they place it in the order in which they were made (`docs/journal.md`, 'Place').
///
/// The `1` in `/v1` is independent of this: it is the version of the calls and their shapes.
public enum ProtocolVersion {
    /// The version in this program.
    public static let current = 2
}
