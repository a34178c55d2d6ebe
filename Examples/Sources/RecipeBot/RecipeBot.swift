/// A bot that reads along: where somebody puts a dish on a list, it adds the ingredients and marks the dish off.
///
/// It keeps nothing. It reads what has arrived, acts, and acknowledges. Where it is stopped in between, it does the same again
/// when it comes back, with the same keys, so that nothing is on the list twice.
public struct RecipeBot: Sendable {
    public let device: HostedDevice
    /// The ingredients of each dish, by its name in lower case.
    let recipes: [String: [String]]

    public init(device: HostedDevice, recipes: [String: [String]]) {
        self.device = device
        self.recipes = recipes
    }

    /// Handles all that has arrived. A bot calls this now and then, or on each hint of the service's events.
    /// - Returns: the number of entries.
    @discardableResult
    public func handleArrivals() async throws -> Int {
        var count = 0
        while true {
            let arrivals = try await device.arrivals()
            if arrivals.isEmpty { return count }
            for arrival in arrivals {
                try await act(on: arrival)
                try await device.acknowledge(arrival)
                count += 1
            }
        }
    }

    /// Acts on an entry. Doing it again changes nothing.
    public func act(on arrival: HostedDevice.Arrival) async throws {
        guard arrival.entry.operation == "add", let item = arrival.entry.item, let dish = arrival.entry.fields?.text,
            let ingredients = recipes[dish.lowercased()]
        else { return }
        for (number, ingredient) in ingredients.enumerated() {
            try await device.change(
                "add", ["list": arrival.list, "text": ingredient], key: "\(arrival.entry.id)-\(number)")
        }
        try await device.change("off", ["list": arrival.list, "item": item], key: "\(arrival.entry.id)-off")
    }
}
