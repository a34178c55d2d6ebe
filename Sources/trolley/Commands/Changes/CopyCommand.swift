import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct CopyCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy items from another list: the named items, or all wanted ones.",
        discussion: """
            An item that is already on the list is not added again. The other list stays unchanged.

            Example:
              trolley copy --from 'Weekly shop' milk eggs
            """)

    @Argument(help: "The items, each by text, position or id on the other list.")
    var items: [String] = []

    @Option(help: "The list to copy from, by name or id.", completion: .lists)
    var from: String

    @Flag(help: "Copy items even if they are already on the list.")
    var again = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let source = try await device.lists().named(from)
        if source.id == list.id { throw CommandError.sameList(list.name ?? list.id.description) }
        let rows = try await device.list(source.id).shownRows()
        var copied = rows.filter { !$0.isStruck && !$0.item.markedOff }.map(\.item)
        if !items.isEmpty {
            copied = []
            for name in items {
                let item = try console.find(name, among: rows)
                if !copied.contains(where: { $0.id == item.id }) { copied.append(item) }
            }
        }
        if copied.isEmpty { throw CommandError.nothingToCopy(source.name ?? source.id.description) }
        let added = try await device.list(list.id).add(copied.map { NewItem(fields: $0.fields) }, again: again)
        let report = try await device.syncAfterChange()
        try console.finishAdding(added, to: list.id, from: source.id, report)
    }
}
