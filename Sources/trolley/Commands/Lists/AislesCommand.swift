import ArgumentParser
import TrolleyAssistant
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct AislesCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "aisles",
            abstract: localized(
                "Show, order and rename a list's aisles.", de: "Die Regale einer Liste zeigen, ordnen und umbenennen."),
            discussion: discussion(
                """
                The order applies to everybody on the list. Other aisles follow in the order in which they occur on the list. Items
                without an aisle come last.

                --rename gives an aisle another name for all items, as one change. If another aisle has that name, the two become one.
                An empty name takes the aisle away.
                """,
                de: """
                    Die Reihenfolge gilt für alle auf der Liste. Andere Regale folgen so, wie sie auf der Liste vorkommen. \
                    Einträge ohne Regal kommen zuletzt.

                    --rename gibt einem Regal für alle Einträge einen anderen Namen, als eine Änderung. Heißt schon ein \
                    anderes so, werden beide eins. Ein leerer Name nimmt das Regal weg.
                    """,
                examples: """
                    trolley aisles
                    trolley aisles Produce Bakery Dairy
                    trolley aisles --reset
                    trolley aisles --shop 'Corner shop' Bakery Dairy    # \(localized("the order in one shop", de: "die Reihenfolge in einem Laden"))
                    trolley aisles --rename Dairy Fridge
                    trolley aisles --why 'oat milk'    # \(localized("the aisle that it would get, and why", de: "das Regal, das sie bekäme, und warum"))
                    trolley aisles --browse Dairy      # \(localized("what the catalogue has there", de: "was der Katalog dort hat"))
                    """))
    }

    @Argument(help: .localized("The aisles, in order.", de: "Die Regale, in ihrer Reihenfolge."))
    var aisles: [String] = []

    @Flag(help: .localized("Remove the order.", de: "Die Reihenfolge entfernen."))
    var reset = false

    @Option(
        help: ArgumentHelp(
            localized(
                "The shop whose order it is; without it, the list's.",
                de: "Der Laden, dessen Reihenfolge es ist; sonst die der Liste."),
            valueName: "name"))
    var shop: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            localized(
                "Give an aisle another name: the present one, then the new one.",
                de: "Einem Regal einen anderen Namen geben: erst der jetzige, dann der neue."), valueName: "name"))
    var rename: [String] = []

    @Option(
        help: ArgumentHelp(
            localized(
                "Say which aisle a new item would get, and why.",
                de: "Sagen, welches Regal ein neuer Eintrag bekäme, und warum."), valueName: "item"))
    var why: String?

    @Option(
        help: ArgumentHelp(
            localized("List what the catalogue has in an aisle.", de: "Zeigen, was der Katalog in einem Regal hat."),
            valueName: "aisle"))
    var browse: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if reset, !aisles.isEmpty {
            throw ValidationError(localized("Give aisles, or --reset.", de: "Gib Regale an, oder --reset."))
        }
        if [reset || !aisles.isEmpty, !rename.isEmpty, why != nil, browse != nil].count(where: { $0 }) > 1 {
            throw ValidationError(
                localized(
                    "Give one of aisles, --reset, --rename, --why and --browse.",
                    de: "Gib eines davon an: Regale, --reset, --rename, --why oder --browse."))
        }
        if let shop {
            try ShopName.check(shop)
            if !rename.isEmpty || why != nil || browse != nil {
                throw ValidationError(
                    localized(
                        "--shop goes with aisles, or with --reset.", de: "--shop gehört zu Regalen oder zu --reset."))
            }
        }
        if ![0, 2].contains(rename.count) {
            throw ValidationError(
                localized(
                    "--rename needs two names: trolley aisles --rename Dairy Fridge",
                    de: "--rename braucht zwei Namen: trolley aisles --rename Milchprodukte Kühlregal"))
        }
        if aisles.contains(where: { $0.trimmed.isEmpty }) {
            throw ValidationError(localized("An aisle needs a name.", de: "Ein Regal braucht einen Namen."))
        }
        if (aisles + rename).contains(where: { $0.contains(where: \.isNewline) }) {
            throw ValidationError(
                localized("An aisle's name is one line.", de: "Der Name eines Regals ist eine Zeile."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        if let why { return try await explain(why, on: device.list(list.id), console) }
        if let browse { return try await show(browse, of: device.list(list.id).catalogue(), console) }
        // Setting an order adds a shop for everybody; reading or removing one doesn't.
        if let shop, aisles.isEmpty {
            let shops = try await device.list(list.id).state().namedShops
            guard shops.contains(where: { $0.isSameAisle(as: shop) }) else {
                throw CommandError.noSuchShop(shop, among: shops)
            }
        }
        var report: SyncReport?
        if reset || !aisles.isEmpty {
            try await order(aisles.map(\.trimmed), on: device.list(list.id))
        }
        if !rename.isEmpty { try await rename(on: device.list(list.id)) }
        // Read before sending, because the answer may remove the list.
        let state = try await device.list(list.id).state()
        let rows = try await device.list(list.id).shownRows()
        if reset || !aisles.isEmpty || !rename.isEmpty { report = try await device.syncAfterChange() }
        let order = shop.map { state.shops.called($0)?.aisles ?? [] } ?? state.aisles
        var shown = shop.map { state.shops.aisles(at: $0, of: state.aisles) } ?? order
        for aisle in rows.compactMap(\.aisle) where !shown.contains(where: { $0.isSameAisle(as: aisle) }) {
            shown.append(aisle)
        }
        for aisle in shown {
            let count = rows.count { !$0.isStruck && !$0.item.markedOff && $0.aisle?.isSameAisle(as: aisle) == true }
            console.say("\(aisle)  \(ListSummary.toBuy(count))")
        }
        if shown.isEmpty {
            console.say(
                localized(
                    "No item has an aisle yet: trolley edit milk --aisle Dairy",
                    de: "Noch hat nichts ein Regal: trolley edit Milch --aisle Milchprodukte"))
        }
        if let report { console.say(report) }
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("aisles")
            writer.array { writer in
                for aisle in shown { writer.string(aisle) }
            }
            writer.key("order")
            writer.array { writer in
                for aisle in order { writer.string(aisle) }
            }
            if let shop { writer.member("shop", shop) }
            if let report { writer.waiting(report) }
        }
        if let report { try console.finishChange(report) }
    }

    private func order(_ aisles: [String], on list: ShoppingList) async throws {
        if let shop {
            // A shop that only items name has no order to remove.
            if aisles.isEmpty, try await list.state().shops.called(shop) == nil { return }
            try await list.setShop(shop.trimmed, aisles: aisles)
        } else {
            try await list.perform([.orderAisles(aisles)])
        }
    }

    private func rename(on list: ShoppingList) async throws {
        let name = rename[1].trimmed
        guard try await list.renameAisles([AisleRenaming(rename[0].trimmed, to: name)]) == nil else { return }
        let known = try await list.shownRows().compactMap(\.aisle) + list.state().aisles
        // Its name is the new one already.
        if known.contains(where: { $0.isSameAisle(as: rename[0]) }) { return }
        var names: [String] = []
        for aisle in known where !names.contains(where: { $0.isSameAisle(as: aisle) }) { names.append(aisle) }
        throw CommandError.noSuchAisleOnList(rename[0], among: names)
    }

    private func explain(_ item: String, on list: ShoppingList, _ console: Console) async throws {
        let choice = try await list.aisle(forNew: item)
        console.say(
            choice.map { "\($0.sentence)." }
                ?? localized(
                    "No aisle is known for '\(item)': trolley add '\(item)' --aisle NAME",
                    de: "Für „\(item)“ ist kein Regal bekannt: trolley add '\(item)' --aisle NAME"))
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("text", item)
            if let choice { writer.members(of: choice) } else { writer.member("aisle", String?.none) }
        }
    }

    private func show(_ name: String, of catalogue: Catalogue?, _ console: Console) throws(CommandError) {
        guard let catalogue,
            let aisle = catalogue.aisles.first(where: { $0.name.isSameAisle(as: name) || $0.id == name })
        else { throw CommandError.noSuchAisle(name, among: catalogue?.aisles.map(\.name) ?? []) }
        let words = catalogue.words(in: aisle.id)
        for word in words { console.say(word) }
        console.answer { writer in
            writer.member("aisle", aisle.name)
            writer.key("words")
            writer.array { writer in
                for word in words { writer.string(word) }
            }
        }
    }
}
