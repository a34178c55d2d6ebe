public import TrolleyJournal
import TrolleySync

/// One of a device's lists: what it shows, and what a person can do with it.
///
/// ```swift
/// let list = try await device.makeList(named: "Weekly shop")
/// try await list.add("2x eggs")
/// for try await state in list.states { show(state.items) }
/// ```
///
/// It is a handle: it holds no data, so it can be made anew for each use (``Device/list(_:)``), stored, and used by several
/// tasks at once. Its methods throw `.store(.noSuchList)` when the list isn't, or is no longer, on the device.
public struct ShoppingList: Sendable, Identifiable {
    public let device: Device
    public let id: ListID

    /// Lets the next sync create a local list on the service. Safe to repeat.
    ///
    /// ```swift
    /// let local = try await device.makeList(named: "Ideas", isLocal: true)
    /// try await local.publish()
    /// ```
    /// - Returns: the list from now on. It has a new id if it was somebody else's and the service no longer knows that this
    ///   person is on it: then it becomes the person's own.
    @discardableResult
    public func publish() async throws(DeviceError) -> ShoppingList {
        try await takeOwnership(publishing: true)
    }

    func takeOwnership(publishing: Bool) async throws(DeviceError) -> ShoppingList {
        let now = device.clock().wall
        return device.list(
            try await device.withStoreErrors { () async throws(QueueStoreError) in
                try await device.store.takeOwnership(of: id, publishing: publishing, at: now)
            })
    }

    /// The list's state as it is shown.
    ///
    /// ```swift
    /// print(try await list.state().wanted.map(\.text))
    /// ```
    public func state() async throws(DeviceError) -> ListState {
        try await device.withStoreErrors { () async throws(QueueStoreError) in try await device.store.state(of: id) }
    }

    /// Makes changes to a list as one gesture: writes all of them to the list and its upload queue, or none.
    ///
    /// ```swift
    /// try await list.perform([.markOff(milk.id), .rename("Weekly shop")])
    /// ```
    /// - Returns: the entries, in the order of `edits`.
    @discardableResult
    public func perform(_ edits: [ListEdit]) async throws(DeviceError) -> [JournalEntry] {
        let made = device.clock()
        return try await device.gesture { [self] in try device.append(edits, to: id, in: $0, made: made) }
    }

    /// Whether the person may only read the list.
    ///
    /// ```swift
    /// if try await list.isReadOnly() { print("You may only look.") }
    /// ```
    public func isReadOnly() async throws(DeviceError) -> Bool {
        try await read { try $0.isReadOnly($1) }
    }

    /// A summary of one list.
    ///
    /// ```swift
    /// print(try await list.summary().unread)
    /// ```
    public func summary() async throws(DeviceError) -> ListSummary {
        try await read { try $0.summary(of: $1) }
    }

    /// The summary without counting unread changes, which takes longest: there may be 0.
    package func summaryWithoutUnread() async throws(DeviceError) -> ListSummary {
        try await read { try $0.summaryWithoutUnread(of: $1) }
    }

    /// Switches shopping mode. While it is on, changes by others that would move rows wait until the person applies
    /// them, and the rows are in the learned order; see ``Device/setUsesLearnedOrder(_:)``. Switching it off applies everything.
    ///
    /// ```swift
    /// try await list.setShopping(true, at: "Corner shop")
    /// ```
    /// - Parameters:
    ///   - isShopping: whether the person is shopping.
    ///   - shop: where. The rows are in that shop's order, what is bought elsewhere comes last
    ///     (``TrolleyJournal/ShownRow/isElsewhere``), and marks say where they were made, so that the order of each shop is
    ///     learned by itself. nil: in no shop in particular.
    public func setShopping(_ isShopping: Bool, at shop: String? = nil) async throws(DeviceError) {
        try await device.setShopping(isShopping, at: shop, on: [id])
    }

    /// The shop where the person is shopping; nil: in none in particular, or not at all.
    ///
    /// ```swift
    /// print(try await list.shop() ?? "anywhere")
    /// ```
    public func shop() async throws(DeviceError) -> String? {
        try await read { try $0.shop(of: $1) }
    }

    /// Whether shopping mode is on.
    ///
    /// ```swift
    /// print(try await list.isShopping())
    /// ```
    public func isShopping() async throws(DeviceError) -> Bool {
        try await read { $1.shopping }
    }

    /// The received entries of a list that are not shown yet, in order.
    ///
    /// ```swift
    /// print(try await list.toApply().count)
    /// ```
    public func toApply() async throws(DeviceError) -> [ConfirmedEntry] {
        try await device.withStoreErrors { () async throws(QueueStoreError) in try await device.store.toApply(in: id) }
    }

    /// Shows all received entries of a list.
    ///
    /// ```swift
    /// if try await !list.toApply().isEmpty { try await list.apply() }
    /// ```
    public func apply() async throws(DeviceError) {
        try await device.withStoreErrors { () async throws(QueueStoreError) in
            try await device.store.apply(in: id, shopping: false)
        }
    }

    /// What ``state()``, ``shownRows()``, ``shop()`` and ``toApply()`` return, of one moment.
    package func shown() async throws(DeviceError) -> (
        state: ListState, rows: [ShownRow], shop: String?, toApply: [ConfirmedEntry]
    ) {
        try await read { transaction, list in
            (
                state: try transaction.state(of: list), rows: try transaction.rows(of: list),
                shop: try transaction.shop(of: list),
                toApply: try transaction.confirmedEntries(of: list, applied: false)
            )
        }
    }

    /// Reads the list in one transaction.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing StoreTransaction, ListRow) throws -> Value
    ) async throws(DeviceError) -> Value {
        try await device.read { [id] transaction in try body(transaction, try transaction.list(id)) }
    }
}

extension Device {
    /// One of the device's lists. Reads nothing.
    ///
    /// ```swift
    /// let same = device.list(list.id)
    /// print(same == list)
    /// ```
    public func list(_ id: ListID) -> ShoppingList { ShoppingList(device: self, id: id) }
}

extension ShoppingList: Hashable {
    public static func == (one: ShoppingList, other: ShoppingList) -> Bool {
        one.id == other.id && one.device === other.device
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
