import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ReplayCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Show a list as it was after a change; 'activity' gives each change's number.",
        discussion: """
            Example:
              trolley replay --through 42
            """)

    @Option(
        help: ArgumentHelp("The number of the change.", valueName: "number"),
        transform: { Int64(try wholeNumber($0, from: 0, suchAs: 42)) })
    var through: Int64

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let json = try await device.replay(list.id, through: through)
        if console.json { return Terminal.print(String(decoding: json, as: UTF8.self)) }
        let replayed = try JSONReader.read(json) { reader throws(WireError) in try Replayed(from: &reader) }
        console.say(console.terminal.bold(replayed.name ?? "(no name)"))
        let width = String(replayed.items.count).count
        for (index, item) in replayed.items.enumerated() {
            console.say(item.line(at: index + 1, width: width, console.terminal))
        }
        if replayed.isWaiting { console.say("Some devices may still hold back changes from before then.") }
    }
}

/// What of the service's answer is shown.
private struct Replayed {
    var name: String?
    var items: [Item] = []
    var isWaiting = false

    init(from reader: inout JSONReader) throws(WireError) {
        try reader.beginObject()
        while let key = try reader.nextKey() {
            switch key {
            case "name": name = try reader.null() ? nil : try reader.string()
            case "status": isWaiting = try reader.string() == "waiting"
            case "items":
                try reader.beginArray()
                while try reader.nextElement() { items.append(try Item(from: &reader)) }
            default: try reader.skip()
            }
        }
    }
}
