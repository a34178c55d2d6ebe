import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RestoreCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "restore",
            abstract: localized(
                "Restore a list to a time, or to the state after a change.",
                de: "Eine Liste auf eine Zeit oder den Stand nach einer Änderung zurücksetzen."),
            discussion: discussion(
                """
                Shows the changes, asks in a terminal, and makes them as one gesture that 'trolley undo' reverts. Later changes by
                others are reverted, too. With --preview it changes nothing.
                """,
                de: """
                    Zeigt die Änderungen, fragt in einem Terminal nach und macht sie in einem Schritt, den „trolley undo“ \
                    zurücknimmt. Auch spätere Änderungen von anderen werden zurückgenommen. Mit --preview ändert sich nichts.
                    """,
                examples: """
                    trolley restore --to 17:40 --preview
                    trolley restore --to 'yesterday 17:40'
                    trolley restore --to 42
                    """))
    }

    @Option(
        help: ArgumentHelp(
            localized(
                "A change's number, as 'activity' gives it, or a time: '17:40', 'yesterday 17:40', '2026-11-22 17:40'.",
                de: """
                    Die Nummer einer Änderung, wie „trolley activity“ sie nennt, oder eine Zeit: „17:40“, „gestern 17:40“, \
                    „22.11.2026 17:40“.
                    """),
            valueName: "moment"))
    var to: String

    @Flag(help: .localized("Show the changes without making them.", de: "Die Änderungen zeigen, ohne sie zu machen."))
    var preview = false

    @Flag(help: .localized("Don't ask for confirmation. For scripts.", de: "Nicht nachfragen. Für Skripte."))
    var yes = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws { _ = try PointInTime.point(to) }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await console.fetchFirst(for: list, on: device)
        let before = try await device.list(list.id).state()
        let (replayed, restoration) = try await ProgressBar(device: device).during {
            try await device.list(list.id).restoration(to: PointInTime.point(to))
        }
        let names = replayed.waitingFor.isEmpty ? [:] : try await device.list(list.id).names()
        replayed.show(console, names)
        let unsent = try await device.list(list.id).pendingChanges().filter { !$0.isSent && $0.entry.operation == .add }
        console.say(
            restoration.sentence(
                from: before, unsent: list.isLocal ? [] : Set(unsent.compactMap(\.entry.item)), console))
        if !preview, !restoration.drafts.isEmpty {
            if !yes, !console.json, Terminal.canAsk {
                guard Terminal.confirm(localized("Put the list back?", de: "Liste zurücksetzen?")) else {
                    throw CommandError.notPutBack
                }
            }
            try await device.list(list.id).perform(restoration)
        }
        let report = try await device.syncAfterChange()
        if !preview, !restoration.drafts.isEmpty {
            console.say(
                localized(
                    "Restored. To undo that: trolley undo",
                    de: "Zurückgesetzt. Um das rückgängig zu machen: trolley undo"))
        }
        console.say(report)
        console.answer { writer in
            replayed.write(to: &writer, names)
            writer.key("entries")
            writer.array { writer in
                for draft in restoration.drafts { draft.write(to: &writer) }
            }
            writer.key("isDone")
            writer.bool(!preview)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }
}

extension Restoration {
    /// The changes, in words.
    /// - Parameter unsent: items whose additions the service doesn't have.
    fileprivate func sentence(from before: ListState, unsent: Set<ItemID>, _ console: Console) -> String {
        if drafts.isEmpty {
            return localized(
                "The list is in that state already. There is nothing to restore.",
                de: "Die Liste ist schon auf diesem Stand. Es gibt nichts zurückzusetzen.")
        }
        func names(_ items: [Item]) -> String {
            items.map {
                unsent.contains($0.id)
                    ? localized("\($0.text) (not sent yet)", de: "\($0.text) (noch nicht gesendet)") : $0.text
            }.joined(separator: ", ")
        }
        let there = Set(before.items.map(\.id))
        let restored = preview.items.filter { !there.contains($0.id) }
        let stays = Set(preview.items.map(\.id))
        let removed = before.items.filter { !stays.contains($0.id) }
        var parts: [String] = []
        if !restored.isEmpty {
            parts.append(localized("restores: \(names(restored))", de: "holt zurück: \(names(restored))"))
        }
        if !removed.isEmpty { parts.append(localized("removes: \(names(removed))", de: "entfernt: \(names(removed))")) }
        return "\(console.count(drafts.count, .change))"
            + (parts.isEmpty ? "." : "; " + parts.joined(separator: "; ") + ".")
    }
}
