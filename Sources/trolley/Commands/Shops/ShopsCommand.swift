import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ShopsCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "shops",
            abstract: localized(
                "Show, add and remove the shops of a list.",
                de: "Die Läden einer Liste zeigen, hinzufügen und entfernen."),
            discussion: discussion(
                """
                Each shop may have an order of aisles of its own, and an item may say that it is bought in one shop only. The
                shops are the list's, so they are the same for everybody on it.
                """,
                de: """
                    Jeder Laden kann eine eigene Reihenfolge der Regale haben, und ein Eintrag kann sagen, dass es ihn nur in \
                    einem Laden gibt. Die Läden gehören zur Liste und sind für alle auf ihr gleich.
                    """,
                examples: """
                    trolley shops
                    trolley shops --add 'Corner shop'
                    trolley aisles --shop 'Corner shop' Bakery Dairy
                    trolley edit nails --shop 'Hardware store'
                    trolley shopping on --at 'Corner shop'
                    trolley shops --remove 'Corner shop'
                    """))
    }

    @Option(help: ArgumentHelp(localized("Add a shop.", de: "Einen Laden hinzufügen."), valueName: "name"))
    var add: String?

    @Option(
        help: ArgumentHelp(
            localized(
                "Remove a shop. Its items can be bought anywhere then.",
                de: "Einen Laden entfernen. Was es nur dort gab, gibt es dann überall."), valueName: "name"))
    var remove: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if add != nil, remove != nil {
            throw ValidationError(localized("Give one of --add and --remove.", de: "Gib --add oder --remove an."))
        }
        if let add { try ShopName.check(add) }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let shopping = device.list(list.id)
        if let add { try await shopping.setShop(add.trimmed) }
        if let remove, try await !shopping.removeShop(remove.trimmed) {
            throw CommandError.noSuchShop(remove, among: try await shopping.state().namedShops)
        }
        // Read before sending, because the answer may remove the list.
        let state = try await shopping.state()
        let present = try await shopping.shop()
        let report = add == nil && remove == nil ? nil : try await device.syncAfterChange()
        let shops = state.namedShops.map { state.shops.called($0) ?? Shop(name: $0) }
        for shop in shops {
            let count = state.wanted.count { $0.shop?.isSameAisle(as: shop.name) == true }
            let order = shop.aisles.isEmpty ? "" : "  \(shop.aisles.inWords)"
            let here =
                present?.isSameAisle(as: shop.name) == true ? "  " + localized("you are here", de: "hier bist du") : ""
            let only = localized("\(count) to buy there only", de: "\(count) nur dort zu kaufen")
            console.say("\(shop.name)  \(only)\(here)\(order)")
        }
        if shops.isEmpty {
            console.say(
                localized(
                    "The list has no shops yet: trolley shops --add 'Corner shop'",
                    de: "Die Liste hat noch keine Läden: trolley shops --add Hofladen"))
        }
        if let report { console.say(report) }
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("shops", shops) { shop, writer in
                writer.member("name", shop.name)
                writer.member("aisles", shop.aisles)
                writer.member("wanted", state.wanted.count { $0.shop?.isSameAisle(as: shop.name) == true })
            }
            writer.member("shop", present)
            if let report { writer.waiting(report) }
        }
        if let report { try console.finishChange(report) }
    }
}

/// The name of a shop, as a person gives it.
enum ShopName {
    /// - Throws: `ValidationError`.
    static func check(_ name: String) throws {
        switch ShopNameFault(of: name) {
        case .empty: throw ValidationError(localized("A shop needs a name.", de: "Ein Laden braucht einen Namen."))
        case .severalLines:
            throw ValidationError(localized("A shop's name is one line.", de: "Der Name eines Ladens ist eine Zeile."))
        case nil: return
        }
    }
}
