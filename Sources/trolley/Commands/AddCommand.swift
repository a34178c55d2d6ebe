import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct AddCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add items to the bottom of a list; '-' reads one a line from standard input.",
        discussion: """
            Example:
              trolley add milk 'brown bread' --aisle Dairy
              trolley add - < groceries.txt
              trolley add butter --after milk
            """)

    @Argument(help: "The items, each one argument; or '-'.")
    var text: [String]

    @Option(help: "How much of it.")
    var quantity: String?

    @Option(help: "What else there is to say.")
    var note: String?

    @Option(help: "Where it is found.")
    var aisle: String?

    @Option(help: "Put the first one after this item, the others behind it.", completion: .items)
    var after: String?

    @Flag(help: "Put the first one at the top, the others behind it.")
    var top = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if text.isEmpty { throw ValidationError("Say what to add.") }
        if top, after != nil { throw ValidationError("Give one of --after and --top.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let texts = try texts()
        let list = try await device.list(list)
        var place = ListEdit.Place.bottom
        if let after {
            place = .after(try console.find(after, among: await device.state(of: list.id).items).id)
        } else if top {
            place = .top
        }
        var edits: [ListEdit] = []
        var added: [Item] = []
        for text in texts {
            var item = Item(id: device.identifier(), fields: [Fields.text: .string(text)])
            item.fields[Fields.quantity] = quantity.map(FieldValue.string)
            item.fields[Fields.note] = note.map(FieldValue.string)
            item.fields[Fields.aisle] = aisle.map(FieldValue.string)
            edits.append(.add(item.id, item.fields, place))
            if place != .bottom { place = .after(item.id) }
            added.append(item)
        }
        try await device.perform(edits, on: list.id)
        let report = try await device.trySending()
        console.say(added.count == 1 ? "Added \(added[0].text)." : "Added \(added.count) items.")
        console.say(report)
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("items")
            writer.array { writer in
                for item in added { item.write(to: &writer) }
            }
            writer.waiting(report)
        }
        try console.endChange(report)
    }

    /// What to add: each argument, and each line of standard input where an argument is '-'.
    private func texts() throws -> [String] {
        var texts: [String] = []
        for argument in text {
            guard argument == "-" else {
                texts.append(argument)
                continue
            }
            let bytes = Terminal.readInput()
            guard let input = String(validating: bytes, as: UTF8.self) else { throw CommandError.notUTF8 }
            texts += input.split(whereSeparator: \.isNewline).map(String.init)
        }
        texts = texts.map(\.trimmed).filter { !$0.isEmpty }
        if texts.isEmpty { throw CommandError.nothingToAdd }
        return texts
    }
}

extension String {
    /// Without the white space around it.
    var trimmed: String {
        let start = drop(while: \.isWhitespace)
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...end])
    }
}
