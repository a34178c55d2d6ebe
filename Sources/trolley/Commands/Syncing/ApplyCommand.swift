import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ApplyCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "apply",
            abstract: localized(
                "Show the items that others have added while you were shopping.",
                de: "Die Einträge zeigen, die andere hinzugefügt haben, während du eingekauft hast."),
            discussion: discussion(
                examples: """
                    trolley apply
                    """))
    }

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let applied = try await device.list(list.id).toApply()
        try await device.list(list.id).apply()
        let added = applied.addedTexts
        let changes = console.count(applied.count, .change)
        let named = added.isEmpty ? "" : localized(" New: \(added.inWords).", de: " Neu: \(added.inWords).")
        console.say(
            applied.isEmpty
                ? localized("Nothing was waiting.", de: "Es hat nichts gewartet.")
                : localized("\(changes) applied.\(named)", de: "\(changes) übernommen.\(named)"))
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("applied", applied.count)
            writer.key("added")
            writer.array { writer in
                for text in added { writer.string(text) }
            }
        }
    }
}

extension [ConfirmedEntry] {
    /// The texts of the items that these entries add, as they are after all of them; without items that they delete.
    var addedTexts: [String] {
        var texts = ItemTexts()
        var (order, latest): ([ItemID], [ItemID: String]) = ([], [:])
        for entry in self {
            let text = texts.take(entry)
            guard let item = entry.entry.item else { continue }
            if entry.entry.operation == .add, latest[item] == nil { order.append(item) }
            latest[item] = entry.entry.operation == .delete ? nil : text ?? latest[item]
        }
        return order.compactMap { latest[$0] }
    }
}
