import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RestoreCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a list to a time, or to the state after a change.",
        discussion: """
            Shows the changes, asks in a terminal, and makes them as one gesture that 'trolley undo' reverts. Later changes by
            others are reverted, too. With --preview it changes nothing.

            Example:
              trolley restore --to 17:40 --preview
              trolley restore --to 'yesterday 17:40'
              trolley restore --to 42
            """)

    @Option(
        help: ArgumentHelp(
            "A change's number, as 'activity' gives it, or a time: '17:40', 'yesterday 17:40', '2026-11-22 17:40'.",
            valueName: "moment"))
    var to: String

    @Flag(help: "Show the changes without making them.")
    var preview = false

    @Flag(help: "Don't ask for confirmation. For scripts.")
    var yes = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws { _ = try PointInTime.point(to) }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        // Fetch others' changes first if possible, because they count.
        _ = try await device.syncAfterChange()
        let before = try await device.list(list.id).state()
        let (replayed, restoration) = try await ProgressBar(device: device).during {
            try await device.list(list.id).restoration(to: PointInTime.point(to))
        }
        replayed.show(console)
        let unsent = try await device.list(list.id).pendingChanges().filter { !$0.isSent && $0.entry.operation == .add }
        console.say(
            restoration.sentence(
                from: before, unsent: list.isLocal ? [] : Set(unsent.compactMap(\.entry.item)), console))
        if !preview, !restoration.drafts.isEmpty {
            if !yes, !console.json, Terminal.canAsk {
                guard Terminal.confirm("Put the list back?") else { throw CommandError.notPutBack }
            }
            try await device.list(list.id).perform(restoration)
        }
        let report = try await device.syncAfterChange()
        if !preview, !restoration.drafts.isEmpty { console.say("Restored. To undo that: trolley undo") }
        console.say(report)
        console.answer { writer in
            replayed.write(to: &writer)
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
        if drafts.isEmpty { return "The list is in that state already. There is nothing to restore." }
        func names(_ items: [Item]) -> String {
            items.map { unsent.contains($0.id) ? "\($0.text) (not sent yet)" : $0.text }.joined(separator: ", ")
        }
        let there = Set(before.items.map(\.id))
        let restored = preview.items.filter { !there.contains($0.id) }
        let stays = Set(preview.items.map(\.id))
        let removed = before.items.filter { !stays.contains($0.id) }
        var parts: [String] = []
        if !restored.isEmpty { parts.append("restores: \(names(restored))") }
        if !removed.isEmpty { parts.append("removes: \(names(removed))") }
        return "\(console.count(drafts.count, "change"))"
            + (parts.isEmpty ? "." : "; " + parts.joined(separator: "; ") + ".")
    }
}
