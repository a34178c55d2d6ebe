import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct RestoreCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore a list to a time, or to the state after a change.",
        discussion: """
            Shows the changes, then makes them as one gesture that 'trolley undo' reverts. Later changes by other people are
            reverted, too.

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

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws { _ = try PointInTime.point(to) }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        // Fetch others' changes first if possible, because they count.
        _ = try await device.syncAfterChange()
        let before = try await device.state(of: list.id)
        let (replayed, restoration) = try await device.restoration(of: list.id, to: PointInTime.point(to))
        replayed.show(console)
        console.say(restoration.sentence(from: before, console))
        if !preview { try await device.perform(restoration, on: list.id) }
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
    fileprivate func sentence(from before: ListState, _ console: Console) -> String {
        if drafts.isEmpty { return "The list is in that state already. There is nothing to restore." }
        let there = Set(before.items.map(\.id))
        let back = preview.items.filter { !there.contains($0.id) }.map(\.text)
        let stays = Set(preview.items.map(\.id))
        let gone = before.items.filter { !stays.contains($0.id) }.map(\.text)
        var parts: [String] = []
        if !back.isEmpty { parts.append("restores: \(back.joined(separator: ", "))") }
        if !gone.isEmpty { parts.append("removes: \(gone.joined(separator: ", "))") }
        return "\(console.count(drafts.count, "change"))"
            + (parts.isEmpty ? "." : "; " + parts.joined(separator: "; ") + ".")
    }
}
