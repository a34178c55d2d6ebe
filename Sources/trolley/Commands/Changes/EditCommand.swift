import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct EditCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "edit",
            abstract: localized(
                "Change an item; an empty value clears a field.",
                de: "Einen Eintrag ändern; ein leerer Wert leert ein Feld."),
            discussion: discussion(
                examples: """
                    trolley edit milk --quantity '2 litres' --note ''
                    trolley edit milk --every 7d
                    """))
    }

    @Argument(
        help: .localized("The item, by text, position or id.", de: "Der Eintrag, mit Text, Nummer oder Kennung."),
        completion: .items)
    var item: String

    @Option(help: .localized("The item's new text.", de: "Der neue Text des Eintrags."))
    var text: String?

    @Option(help: .localized("The quantity.", de: "Die Menge."))
    var quantity: String?

    @Option(help: .localized("A note.", de: "Eine Notiz."))
    var note: String?

    @Option(help: .localized("The aisle where it is found.", de: "Das Regal, in dem es steht."))
    var aisle: String?

    @Option(
        help: ArgumentHelp(
            localized("The only shop where it is bought.", de: "Der einzige Laden, in dem es das gibt."),
            valueName: "shop"))
    var shop: String?

    @Option(
        help: ArgumentHelp(
            localized(
                "How often it is bought: 7d or 2w. 'trolley suggest' shows it on its day; it is never added by itself.",
                de: """
                    Wie oft es gekauft wird: 7d oder 2w. „trolley suggest“ zeigt es an seinem Tag; von selbst kommt es nie dazu.
                    """),
            valueName: "days"))
    var every: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text == nil, quantity == nil, note == nil, aisle == nil, shop == nil, every == nil {
            throw ValidationError(
                localized(
                    "Give at least one of --text, --quantity, --note, --aisle, --shop and --every.",
                    de: "Gib mindestens eines davon an: --text, --quantity, --note, --aisle, --shop oder --every."))
        }
        if let every, !every.trimmed.isEmpty { _ = try Recurrence.written(every) }
        if let shop, shop.contains(where: \.isNewline) { try ShopName.check(shop) }
        if let text, text.trimmed.isEmpty {
            throw ValidationError(localized("An item needs a text.", de: "Ein Eintrag braucht einen Text."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        var fields: Fields = [:]
        for (key, value) in [
            (Fields.text, text), (Fields.quantity, quantity), (Fields.note, note), (Fields.aisle, aisle),
            (Fields.shop, shop),
        ] {
            if let value { fields[key] = value.trimmed.isEmpty ? .null : .string(value.trimmed) }
        }
        if let every {
            fields[Fields.every] = every.trimmed.isEmpty ? .null : try Recurrence.written(every).field
        }
        try await ItemChange(list: list, done: { localized("Changed \($0).", de: "\($0) geändert.") }).run(
            [item], on: device, console
        ) { .edit($0.id, fields) }
    }
}

extension Recurrence {
    /// - Throws: `ValidationError`.
    static func written(_ text: String) throws -> Recurrence {
        guard let every = Recurrence(written: text.trimmed) else {
            throw ValidationError(
                localized(
                    "--every is days or weeks, up to \(maxDays) days: 7d, 2w.",
                    de: "--every sind Tage oder Wochen, bis \(maxDays) Tage: 7d, 2w."))
        }
        return every
    }
}
