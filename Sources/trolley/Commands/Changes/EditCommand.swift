import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct EditCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "edit",
        abstract: "Change an item; an empty value clears a field.",
        discussion: """
            Example:
              trolley edit milk --quantity '2 litres' --note ''
              trolley edit milk --every 7d
            """)

    @Argument(help: "The item, by text, position or id.", completion: .items)
    var item: String

    @Option(help: "The item's new text.")
    var text: String?

    @Option(help: "The quantity.")
    var quantity: String?

    @Option(help: "A note.")
    var note: String?

    @Option(help: "The aisle where it is found.")
    var aisle: String?

    @Option(help: ArgumentHelp("The only shop where it is bought.", valueName: "shop"))
    var shop: String?

    @Option(
        help: ArgumentHelp(
            "How often it is bought: 7d or 2w. 'trolley suggest' shows it on its day; it is never added by itself.",
            valueName: "days"))
    var every: String?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text == nil, quantity == nil, note == nil, aisle == nil, shop == nil, every == nil {
            throw ValidationError("Give at least one of --text, --quantity, --note, --aisle, --shop and --every.")
        }
        if let every, !every.trimmed.isEmpty { _ = try Recurrence.written(every) }
        if let shop, shop.contains(where: \.isNewline) { try ShopName.check(shop) }
        if let text, text.trimmed.isEmpty { throw ValidationError("An item needs a text.") }
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
        try await ItemChange(list: list, verb: "Changed").run([item], on: device, console) { .edit($0.id, fields) }
    }
}

extension Recurrence {
    /// - Throws: `ValidationError`.
    static func written(_ text: String) throws -> Recurrence {
        guard let every = Recurrence(written: text.trimmed) else {
            throw ValidationError("--every is days or weeks, up to \(maxDays) days: 7d, 2w.")
        }
        return every
    }
}
