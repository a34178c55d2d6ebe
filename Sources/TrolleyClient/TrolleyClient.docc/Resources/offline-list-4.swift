import TrolleyClient

/// A list that works without a signal.
struct OfflineList {
    let device: Device
    let list: ShoppingList

    init(directory: String) async throws {
        device = try Device(directory: directory)
        if let current = try await device.currentList() {
            list = current
        } else {
            list = try await device.makeList(named: "Weekly shop")
        }
    }

    func add(_ text: String) async throws {
        try await list.add(text)
    }

    func markOff(_ item: Item) async throws {
        try await list.markOff(item.id)
    }

    var items: [Item] {
        get async throws { try await list.state().items }
    }

    /// Syncs by itself from now on.
    func keepInStep() { device.start() }

    /// The list now, and after each change.
    var states: Observed<ListState> { list.states }
}
