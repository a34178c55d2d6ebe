public import Observation
public import TrolleyClient

/// All of a family's shopping list but its view: it starts, observes and shares.
@MainActor @Observable public final class FamilyApp {
    public private(set) var items: [Item] = []
    public private(set) var status = ""
    public let list: ShoppingList

    /// - Parameter link: somebody's invitation.
    public init(device: Device, link: String? = nil) async throws {
        let joined = if let link { try await device.join(link).list } else { try await device.currentList() }
        if let joined { list = joined } else { list = try await device.makeList(named: "Family") }
        device.start()
    }

    /// Follows the list until the task is cancelled: `.task { try? await app.run() }`.
    public func run() async throws {
        async let following: Void = follow()
        for try await state in list.states { items = state.items }
        try await following
    }

    private func follow() async throws { for try await now in list.device.status { status = now.description } }

    public func add(_ text: String) async throws { try await list.add(text) }
    public func share() async throws -> String { try await list.invite().link }
}
