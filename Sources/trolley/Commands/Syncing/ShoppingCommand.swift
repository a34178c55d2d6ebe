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
              trolley shopping on --at 'Corner shop'
              trolley shopping on --with Party      # both lists at the same time: trolley show --with Party
              trolley shopping --order list

            --at says where you are: the aisles are in that shop's order, what is bought elsewhere comes last, and the order of
            each shop is learned by itself.
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

    @Option(help: ArgumentHelp("The shop where you are.", valueName: "shop"))
    var at: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var combined: CombinedOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if mode == nil, order == nil { throw ValidationError("Say on or off, or give --order.") }
        if mode != .on, at != nil { throw ValidationError("--at needs 'on': trolley shopping on --at NAME") }
        if let at { try ShopName.check(at) }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        if let order { try await device.setUsesLearnedOrder(order == .learned) }
        if let mode {
            let lists = try await CombinedLists(self.list, combined, on: device)
            try await device.setShopping(mode == .on, at: at?.trimmed, on: lists.ids)
        }
        let shop = try await device.list(list.id).shop()
        let isShopping = try await device.list(list.id).isShopping()
        let usesLearnedOrder = try await device.usesLearnedOrder()
        if mode != nil {
            console.say(isShopping ? "Others' new items wait: trolley apply" : "Others' new items show at once.")
        }
        if let shop { console.say("You are shopping at \(shop).") }
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
            if let shop { writer.member("shop", shop) }
            writer.member("order", (usesLearnedOrder ? Order.learned : .list).rawValue)
        }
    }
}
