import TrolleyClient
import TrolleyJournal

/// A list that works without a signal.
struct OfflineList {
    let device: Device
    let list: ListID

    init(directory: String) async throws {
        device = try Device(directory: directory)
        if let current = try await device.currentList() {
            list = current
        } else {
            list = try await device.makeList(named: "Weekly shop")
        }
    }

    func add(_ text: String) async throws {
        try await device.perform([.add(device.identifier(), ["text": .string(text)], .bottom)], on: list)
    }

    func markOff(_ item: Item) async throws {
        try await device.perform([.markOff(item.id)], on: list)
    }

    var items: [Item] {
        get async throws { try await device.state(of: list).items }
    }

    /// Syncs by itself from now on.
    func keepInStep() { device.start() }

    /// The list now, and after each change.
    var updates: ListRows { device.rows(of: list) }
}
