import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ShoppingCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "shopping",
            abstract: localized(
                "Go shopping: items that others add wait until you apply them, so that nothing moves.",
                de: "Einkaufen: Was andere hinzufügen, wartet, bis du es übernimmst, damit sich nichts bewegt."),
            discussion: discussion(
                """
                Others' other changes (mark off, unmark, delete) show at once. Within the aisles, the items are in the order in
                which they were marked off on past trips of this list. '--order list' keeps the list's order instead; the choice
                holds for all lists of this device, until '--order learned'.

                --at says where you are: the aisles are in that shop's order, what is bought elsewhere comes last, and the order of
                each shop is learned by itself. If the list has shops, it is one of these: trolley shops.
                """,
                de: """
                    Andere Änderungen von anderen (abhaken, wieder brauchen, löschen) zeigen sich sofort. In jedem Regal \
                    stehen die Einträge so, wie sie auf früheren Einkäufen dieser Liste abgehakt wurden. „--order list“ behält \
                    stattdessen die Reihenfolge der Liste; das gilt für alle Listen dieses Geräts, bis „--order learned“.

                    --at sagt, wo du bist: Die Regale stehen in der Reihenfolge dieses Ladens, was es nur anderswo gibt, kommt \
                    zuletzt, und die Wege durch jeden Laden werden für sich gelernt. Hat die Liste Läden, ist es einer davon: \
                    trolley shops.
                    """,
                examples: """
                    trolley shopping on
                    trolley shopping off
                    trolley shopping on --at 'Corner shop'
                    trolley shopping on --with Party      # \(localized("both lists: trolley show --with Party", de: "beide Listen: trolley show --with Party"))
                    trolley shopping --order list
                    """))
    }

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    enum Order: String, ExpressibleByArgument, CaseIterable {
        case learned, list
    }

    @Argument(help: .localized("Whether you are shopping.", de: "Ob du einkaufst."))
    var mode: Mode?

    @Option(
        help: .localized(
            "The order of the items while you shop: learned, from past trips, or the list's own.",
            de: """
                Die Reihenfolge der Einträge beim Einkaufen: learned, wie auf früheren Einkäufen, oder list, die der Liste.
                """))
    var order: Order?

    @Option(
        help: ArgumentHelp(localized("The shop where you are.", de: "Der Laden, in dem du bist."), valueName: "shop"))
    var at: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var combined: CombinedOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if mode == nil, order == nil {
            throw ValidationError(
                localized("Say on or off, or give --order.", de: "Sag on oder off, oder gib --order an."))
        }
        if mode != .on, at != nil {
            throw ValidationError(
                localized(
                    "--at needs 'on': trolley shopping on --at NAME",
                    de: "--at braucht „on“: trolley shopping on --at NAME"))
        }
        if let at { try ShopName.check(at) }
    }

    /// Where nobody has named a shop, any name will do. Beside the shops that are there, another name is a slip.
    private static func check(_ shop: String, on lists: [ListID], of device: Device) async throws {
        var shops: [String] = []
        for list in lists {
            for name in try await device.list(list).state().namedShops
            where !shops.contains(where: { $0.isSameAisle(as: name) }) {
                shops.append(name)
            }
        }
        guard shops.isEmpty || shops.contains(where: { $0.isSameAisle(as: shop) }) else {
            throw CommandError.noSuchShop(shop, among: shops)
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let lists = try await CombinedLists(self.list, combined, on: device)
        if let at { try await Self.check(at, on: lists.ids, of: device) }
        if let order { try await device.setUsesLearnedOrder(order == .learned) }
        if let mode { try await device.setShopping(mode == .on, at: at?.trimmed, on: lists.ids) }
        let shop = try await device.list(list.id).shop()
        let isShopping = try await device.list(list.id).isShopping()
        let usesLearnedOrder = try await device.usesLearnedOrder()
        if mode != nil {
            console.say(
                isShopping
                    ? localized("Others' new items wait: trolley apply", de: "Neues von anderen wartet: trolley apply")
                    : localized("Others' new items show at once.", de: "Neues von anderen zeigt sich sofort."))
        }
        if let shop { console.say(localized("You are shopping at \(shop).", de: "Du kaufst bei \(shop) ein.")) }
        if order != nil {
            console.say(
                usesLearnedOrder
                    ? localized(
                        "While you shop, the items are in the order of past trips.",
                        de: "Beim Einkaufen stehen die Einträge wie auf früheren Einkäufen.")
                    : localized(
                        "While you shop, the items are in the list's order.",
                        de: "Beim Einkaufen stehen die Einträge wie auf der Liste."))
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
