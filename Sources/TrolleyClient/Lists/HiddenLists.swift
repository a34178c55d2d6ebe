/// What an account that is not signed in has on a device, out of sight.
public struct HiddenLists: Hashable, Sendable {
    /// Which service's account.
    public var server: String
    public var email: String
    public var lists: Int
    /// Entries in their upload queues.
    public var waiting: Int
}
