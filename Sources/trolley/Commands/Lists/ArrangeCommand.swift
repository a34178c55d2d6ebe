import ArgumentParser
import TrolleyClient
import TrolleyWire

struct ArrangeCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "arrange",
        abstract: "Pin a list, put it into the archive, or move it among your lists.",
        discussion: """
            This is yours: on all your devices, and nobody else's. A list in the archive stays in step. Without options, it
            shows where the list is.

            Example:
              trolley arrange 'Weekly shop' --pin
              trolley arrange 'Party 2025' --archive
              trolley arrange Garden --after 'Weekly shop'
            """)

    @Argument(help: "The list, by name or id.", completion: .lists)
    var list: String

    @Flag(exclusivity: .exclusive, help: "Have it stand before all that aren't pinned, or no longer.")
    var pin: Pinning?

    @Flag(exclusivity: .exclusive, help: "Put it away, or take it out again.")
    var archive: Archiving?

    @Flag(help: "Put it before all others: of the pinned ones, if it is pinned.")
    var first = false

    @Option(help: "Put it before this list.", completion: .lists)
    var before: String?

    @Option(help: "Put it behind this list.", completion: .lists)
    var after: String?

    @OptionGroup var options: DeviceOptions

    enum Pinning: String, EnumerableFlag { case pin, unpin }
    enum Archiving: String, EnumerableFlag { case archive, unarchive }

    func validate() throws {
        if [first, before != nil, after != nil].count(where: { $0 }) > 1 {
            throw ValidationError("Give one of --first, --before and --after.")
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let lists = try await device.lists()
        let found = try lists.named(list)
        let list = device.list(found.id)
        // All are looked up before anything is changed.
        let (before, after) = (try before.map(lists.named), try after.map(lists.named))
        if [before?.id, after?.id].contains(found.id) { throw ValidationError("A list can't stand beside itself.") }
        if let pin { try await list.setPinned(pin == .pin) }
        if let archive { try await list.setArchived(archive == .archive) }
        if first { try await list.move(.before) }
        if let before { try await list.move(.before, before.id) }
        if let after { try await list.move(.after, after.id) }
        // Read before sending, because a sync may find that the list is gone.
        let now = try await device.lists()
        guard let place = now.firstIndex(where: { $0.id == found.id }) else {
            throw CommandError.noSuchList(self.list)
        }
        let report = try await device.syncAfterChange()
        let (pinned, archived) = (now[place].place.pinned, now[place].place.archived)
        console.say(
            "'\(found.name ?? found.id.description)' is \(archived ? "in the archive" : "list \(place + 1) of \(now.count)")"
                + (pinned ? ", pinned." : "."))
        console.say(report)
        console.answer { writer in
            writer.member("id", found.id)
            writer.key("pinned")
            writer.bool(pinned)
            writer.key("archived")
            writer.bool(archived)
            writer.member("position", place + 1)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }
}
