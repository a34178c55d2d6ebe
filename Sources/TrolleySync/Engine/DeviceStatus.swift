public import TrolleyJournal

/// The state of a device's store, from which a run decides.
public struct DeviceStatus: Hashable, Sendable {
    public struct List: Hashable, Sendable {
        public var id: ListID
        /// Whether the service has the list.
        public var isPublished: Bool
        /// Whether the list stays on this device alone until it is shared.
        public var isLocal: Bool
        /// The list's change token.
        public var token: String?
        /// The number of entries in the upload queue.
        public var waiting: Int
        /// The number of entries in the to-apply queue.
        public var toApply: Int
        /// Whether shopping mode is on, so that received changes wait.
        public var isShopping: Bool

        public init(
            id: ListID, isPublished: Bool, isLocal: Bool = false, token: String? = nil, waiting: Int = 0,
            toApply: Int = 0, isShopping: Bool = false
        ) {
            self.id = id
            self.isPublished = isPublished
            self.isLocal = isLocal
            self.token = token
            self.waiting = waiting
            self.toApply = toApply
            self.isShopping = isShopping
        }
    }

    public var lists: [List]
    public var retryState: RetryState
    /// Whether the service has not yet said of some list whether the account owns it.
    public var lacksOwnership: Bool
    /// Lists that the service must still delete, because they have become lists of this device alone, under another id.
    public var leaving: [ListID]

    public init(
        lists: [List] = [], retryState: RetryState = RetryState(), lacksOwnership: Bool = false, leaving: [ListID] = []
    ) {
        self.lists = lists
        self.retryState = retryState
        self.lacksOwnership = lacksOwnership
        self.leaving = leaving
    }

    /// The number of entries to send, without lists that stay on this device alone.
    public var waiting: Int { lists.reduce(0) { $0 + ($1.isLocal ? 0 : $1.waiting) } }
}
