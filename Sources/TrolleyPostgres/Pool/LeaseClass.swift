/// What a connection of a pool is used for. Each class has its own maximum and reserve (``LeaseShares``), so that work of
/// one class can't take all connections from the others.
public enum LeaseClass: Int, CaseIterable, Sendable {
    /// Appends that wait for no lock, or only for a moment.
    case append
    /// Appends that wait for a lock that another transaction holds.
    case contendedAppend
    /// Reads of a bounded size, such as those of a request's session and of new changes.
    case shortRead
    /// Any other work for a client.
    case request
    /// Reads of whole journals, such as exports.
    case longRead
    /// Work that no client waits for.
    case background

    /// The class of leases that name none. It holds for a task and its child tasks.
    @TaskLocal public static var current = LeaseClass.request
}
