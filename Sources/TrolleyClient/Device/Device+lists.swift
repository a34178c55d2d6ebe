public import TrolleyJournal
public import TrolleySync
import TrolleyWire

// Lists and changes to them. Nothing here needs the network.

extension Device {
    /// Creates a list and makes it the current one. The next sync creates it on the service.
    /// - Parameters:
    ///   - name: its name; everybody who may change the list can rename it.
    ///   - colour: any text that the apps understand.
    ///   - isLocal: keeps the list on this device until ``publish(_:)`` or an invitation.
    @discardableResult
    public func makeList(
        named name: String, colour: String? = nil, isLocal: Bool = false
    ) async throws(DeviceError) -> ListID {
        try Self.check(name)
        let made = clock()
        return try await gesture { [self] transaction in
            let list = try insertList(named: name, colour: colour, isLocal: isLocal, in: transaction, made: made)
            try transaction.set("current", to: list.data)
            return list
        }
    }

    /// Lets the next sync create a local list on the service. Safe to repeat.
    /// - Returns: the list's id from now on. It is a new id if the list was somebody else's and the service no longer
    ///   knows that this person is on it: then the list becomes the person's own.
    @discardableResult
    public func publish(_ list: ListID) async throws(DeviceError) -> ListID {
        try await takeOwnership(of: list, publishing: true)
    }

    func takeOwnership(of list: ListID, publishing: Bool) async throws(DeviceError) -> ListID {
        let now = clock().wall
        return try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.takeOwnership(of: list, publishing: publishing, at: now)
        }
    }

    /// The list's state as it is shown.
    public func state(of list: ListID) async throws(DeviceError) -> ListState {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.state(of: list) }
    }

    /// Makes changes to a list as one gesture: writes all of them to the list and its upload queue, or none.
    /// - Returns: the entries, in the order of `edits`.
    @discardableResult
    public func perform(_ edits: [ListEdit], on list: ListID) async throws(DeviceError) -> [JournalEntry] {
        let made = clock()
        return try await gesture { [self] in try append(edits, to: list, in: $0, made: made) }
    }

    /// Whether the person may only read the list.
    public func isReadOnly(_ list: ListID) async throws(DeviceError) -> Bool {
        guard let account = try await session()?.account else { return false }
        let share = try await withStoreErrors { () async throws(QueueStoreError) in try await store.share(of: list) }
        return share?.isReadOnly(for: account) == true
    }

    /// A new id, for instance for an item.
    public func identifier<ID: Identifier>(_ type: ID.Type = ID.self) -> ID {
        .version7(at: clock().wall, random: (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max)))
    }

    /// The list that commands without a list's name refer to.
    public func currentList() async throws(DeviceError) -> ListID? {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.currentList() }
    }

    public func setCurrentList(_ list: ListID) async throws(DeviceError) {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.setCurrentList(list) }
    }

    /// All lists of the signed-in account, in the order in which they came to the device.
    public func lists() async throws(DeviceError) -> [ListSummary] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.summaries() }
    }

    /// A summary of one list.
    public func summary(of list: ListID) async throws(DeviceError) -> ListSummary {
        let summaries = try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.summaries(of: list)
        }
        guard let summary = summaries.first else { throw .store(.noSuchList(list)) }
        return summary
    }

    /// Each list's two queues, the rejected entries, and the lists that have left the device.
    public func queues() async throws(DeviceError) -> DeviceQueues {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.queues() }
    }

    /// Switches shopping mode. While it is on, changes by others that would move rows wait until the person applies
    /// them, and the rows are in the learned order; see ``setUsesLearnedOrder(_:)``. Switching it off applies everything.
    public func setShopping(_ isShopping: Bool, in list: ListID) async throws(DeviceError) {
        let now = clock().wall
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.setShopping(isShopping, in: list, at: now)
        }
    }

    /// Whether shopping mode is on.
    public func isShopping(in list: ListID) async throws(DeviceError) -> Bool {
        try await withStoreErrors { () async throws(QueueStoreError) in
            try await store.read { try $0.list(list).shopping }
        }
    }

    /// The received entries of a list that are not shown yet, in order.
    public func toApply(in list: ListID) async throws(DeviceError) -> [ConfirmedEntry] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.toApply(in: list) }
    }

    /// Shows all received entries of a list.
    public func apply(in list: ListID) async throws(DeviceError) {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.apply(in: list, shopping: false)
        }
    }

    /// The lists that left the device without an action of the person, and why, until they are dismissed.
    public func notices() async throws(DeviceError) -> [Notice] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.read { try $0.notices() } }
    }

    /// Rejected entries and notices that were dismissed.
    public struct Dismissed: Hashable, Sendable {
        public var rejected: [RejectedEntry]
        public var notices: [Notice]
    }

    /// Dismisses rejected entries and notices for good.
    /// - Returns: what was dismissed, so that the caller can show it.
    @discardableResult
    public func dismiss() async throws(DeviceError) -> Dismissed {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.dismiss() }
    }

    /// Checks that a list can hold the text.
    static func check(_ text: String) throws(DeviceError) {
        if text.unicodeScalars.contains("\0") { throw .unusableText("it contains a NUL character") }
    }
}

extension Fields {
    /// Why the fields exceed a service's usual limits; nil when they don't.
    var limitViolation: String? {
        for (key, value) in self where key.utf8.contains(0) || value.string?.utf8.contains(0) == true {
            return "it contains a NUL character"
        }
        return excess(over: Limits())
    }
}
