public import TrolleyJournal

/// What became of the items of a name, on the lists of this device.
public struct Whereabouts: Hashable, Sendable {
    /// An item of a list.
    public struct Item: Hashable, Sendable {
        public var list: ListID
        /// nil until somebody names the list.
        public var listName: String?
        public var trace: ItemTrace
        public var source: Source
        /// The name of the person who made the change `ItemTrace.since`; nil if it isn't known.
        public var sinceName: String?
        /// The name of the person who added the item; nil if it isn't known.
        public var addedName: String?
    }

    /// How this device knows the change `ItemTrace.since`.
    public enum Source: String, Hashable, Sendable {
        /// The list shows it.
        case list
        /// It was made on this device, and the service has not confirmed it.
        case unconfirmed
        /// It arrived while this device is shopping, and waits to be applied.
        case toApply
        /// Compression has taken the item's entries from this device, which remembers the purchase.
        case purchase
        /// Compression has taken the item's entries from this device, and the service's Activity has them.
        case activity
    }

    /// Those that changed last first.
    public var items: [Item]
    /// False if nothing here has exactly this name and the service could not be asked about compressed entries.
    public var isWhole: Bool
}
