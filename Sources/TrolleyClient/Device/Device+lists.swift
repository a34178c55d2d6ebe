public import TrolleyJournal
public import TrolleySync
import TrolleyWire

// Lists and changes to them. Nothing here needs the network.

extension Device {
    /// Creates a list and makes it the current one. The next sync creates it on the service.
    ///
    /// ```swift
    /// let list = try await device.makeList(named: "Weekly shop", colour: "green")
    /// try await list.add("milk")
    /// ```
    /// - Parameters:
    ///   - name: its name; everybody who may change the list can rename it.
    ///   - colour: any text that the apps understand.
    ///   - isLocal: keeps the list on this device until ``ShoppingList/publish()`` or an invitation.
    @discardableResult
    public func makeList(
        named name: String, colour: String? = nil, isLocal: Bool = false
    ) async throws(DeviceError) -> ShoppingList {
        try Self.check(name)
        let made = clock()
        let list = try await gesture { [self] transaction in
            let list = try insertList(named: name, colour: colour, isLocal: isLocal, in: transaction, made: made)
            try transaction.set("current", to: list.data)
            return list
        }
        return self.list(list)
    }

    /// A new id, for instance for an item.
    ///
    /// ```swift
    /// let id = device.identifier(ItemID.self)
    /// try await list.perform([.add(id, [Fields.text: .string("milk")], .bottom), .markOff(id)])
    /// ```
    public func identifier<ID: Identifier>(_ type: ID.Type = ID.self) -> ID {
        .version7(at: clock().wall, random: (.random(in: 0...UInt64.max), .random(in: 0...UInt64.max)))
    }

    /// The list that commands without a list's name refer to.
    ///
    /// ```swift
    /// if let list = try await device.currentList() { try await list.add("eggs") }
    /// ```
    public func currentList() async throws(DeviceError) -> ShoppingList? {
        try await read { try $0.currentList() }.map { list($0) }
    }

    /// Makes a list the one that commands without a list's name refer to.
    ///
    /// ```swift
    /// try await device.setCurrentList(list.id)
    /// ```
    public func setCurrentList(_ list: ListID) async throws(DeviceError) {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.setCurrentList(list) }
    }

    /// All lists of the signed-in account, as the person keeps them: pinned ones first, archived ones last, and each of these
    /// as they were moved; without that, the newest first.
    ///
    /// ```swift
    /// for list in try await device.lists() where !list.place.archived { print(list.name ?? "", list.wanted, list.unread) }
    /// ```
    public func lists() async throws(DeviceError) -> [ListSummary] {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.summaries() }
    }

    /// The names of all lists, in the order of ``lists()``. It takes less time.
    package func listNames() async throws(DeviceError) -> [(id: ListID, name: String?)] {
        try await read { try $0.listNames() }
    }

    /// Each list's two queues, the rejected entries, and the lists that have left the device.
    ///
    /// ```swift
    /// let queues = try await device.queues()
    /// print(queues.waiting, queues.rejected.count)
    /// ```
    public func queues() async throws(DeviceError) -> DeviceQueues {
        try await withStoreErrors { () async throws(QueueStoreError) in try await store.queues() }
    }

    /// The lists that left the device without an action of the person, and why, until they are dismissed.
    ///
    /// ```swift
    /// for notice in try await device.notices() { print(notice) }
    /// ```
    public func notices() async throws(DeviceError) -> [Notice] {
        try await read { try $0.notices() }
    }

    /// Rejected entries and notices that were dismissed.
    public struct Dismissed: Hashable, Sendable {
        public var rejected: [RejectedEntry]
        public var notices: [Notice]
    }

    /// Dismisses rejected entries and notices for good.
    ///
    /// ```swift
    /// let dismissed = try await device.dismiss()
    /// print(dismissed.rejected.count)
    /// ```
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
