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

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text == nil, quantity == nil, note == nil, aisle == nil {
            throw ValidationError("Give at least one of --text, --quantity, --note and --aisle.")
        }
        if let text, text.trimmed.isEmpty { throw ValidationError("An item needs a text.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        var fields: Fields = [:]
        for (key, value) in [
            (Fields.text, text), (Fields.quantity, quantity), (Fields.note, note), (Fields.aisle, aisle),
        ] {
            if let value { fields[key] = value.trimmed.isEmpty ? .null : .string(value.trimmed) }
        }
        try await ItemChange(list: list, verb: "Changed").run([item], on: device, console) { .edit($0.id, fields) }
    }
}
