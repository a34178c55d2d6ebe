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
}
