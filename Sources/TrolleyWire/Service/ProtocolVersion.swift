/// The rules that a device and the service fold by. Both state them with each fetch, because a device that folds by other rules
/// would show another list than all others.
///
/// - 1: `add` and `move` place an item in the order of the stream.
/// - 2: they place it in the order in which they were made (`docs/journal.md`, 'Place').
///
/// The `1` of the paths' `/v1` is not this: it is about the calls and their shapes.
public enum ProtocolVersion {
    /// The version of this program.
    public static let current = 2
}
