import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct CopyCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "copy",
            abstract: localized(
                "Copy items from another list: the named items, or all wanted ones.",
                de: "Einträge von einer anderen Liste kopieren: die genannten, oder alle gewünschten."),
            discussion: discussion(
                """
                An item that is already on the list is not added again. The other list stays unchanged.
                """,
                de: """
                    Was schon auf der Liste steht, kommt nicht noch einmal dazu. Die andere Liste bleibt, wie sie ist.
                    """,
                examples: """
                    trolley copy --from 'Weekly shop' milk eggs
                    """))
    }

    @Argument(
        help: .localized(
            "The items, each by text, position or id on the other list.",
            de: "Die Einträge, jeder mit Text, Nummer oder Kennung auf der anderen Liste."))
    var items: [String] = []

    @Option(
        help: .localized(
            "The list to copy from, by name or id.", de: "Die Liste, von der kopiert wird, mit Namen oder Kennung."),
        completion: .lists)
    var from: String

    @Flag(
        help: .localized(
            "Copy items even if they are already on the list.",
            de: "Einträge kopieren, auch wenn sie schon auf der Liste stehen."))
    var again = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let source = try await device.list(named: from)
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
