import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ShoppingCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "shopping",
        abstract: "Go shopping: items that others add wait until you apply them, so that nothing moves.",
        discussion: """
            Others' other changes (mark off, unmark, delete) show at once. Within the aisles, the items are in the order in
            which they were marked off on past trips of this list. '--order list' keeps the list's order instead; the choice
            holds for all lists of this device, until '--order learned'.

            Example:
              trolley shopping on
              trolley shopping off
              trolley shopping --order list
            """)

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case learned, list
    }

    @Argument(help: "Whether you are shopping.")
    var mode: Mode?

    @Option(help: "The order of the items while you shop: learned, from past trips, or the list's own.")
    var order: Order?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if mode == nil, order == nil { throw ValidationError("Say on or off, or give --order.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        if let order { try await device.setUsesLearnedOrder(order == .learned) }
        if let mode { try await device.list(list.id).setShopping(mode == .on) }
        let isShopping = try await device.list(list.id).isShopping()
        let usesLearnedOrder = try await device.usesLearnedOrder()
        if mode != nil {
            console.say(isShopping ? "Others' new items wait: trolley apply" : "Others' new items show at once.")
        }
        if order != nil {
            console.say(
                usesLearnedOrder
                    ? "While you shop, the items are in the order of past trips."
                    : "While you shop, the items are in the list's order.")
        }
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("shopping")
            writer.bool(isShopping)
            writer.member("order", (usesLearnedOrder ? Order.learned : .list).rawValue)
        }
    }
}
