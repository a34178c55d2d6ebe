/// The hidden lists of an account that is not signed in on this device.
public struct HiddenLists: Hashable, Sendable {
    /// The address of the account's service.
    public var server: String
    public var email: String
    public var lists: Int
    /// The number of entries in their upload queues.
    public var waiting: Int
}
