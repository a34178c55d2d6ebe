import ArgumentParser
import TrolleyClient
import TrolleyWire

struct ArrangeCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "arrange",
            abstract: localized(
                "Pin a list, put it into the archive, or move it among your lists.",
                de: "Eine Liste anheften, ins Archiv legen oder unter deinen Listen verschieben."),
            discussion: discussion(
                """
                This is yours: on all your devices, and nobody else's. A list in the archive stays in step. Without options, it
                shows where the list is.
                """,
                de: """
                    Das gilt nur für dich, auf allen deinen Geräten. Eine Liste im Archiv bleibt auf dem neuesten Stand. Ohne \
                    Optionen zeigt der Befehl, wo die Liste ist.
                    """,
                examples: """
                    trolley arrange 'Weekly shop' --pin
                    trolley arrange 'Party 2025' --archive
                    trolley arrange Garden --after 'Weekly shop'
                    """))
    }

    @Argument(
        help: .localized("The list, by name or id.", de: "Die Liste, mit Namen oder Kennung."), completion: .lists)
    var list: String

    @Flag(
        exclusivity: .exclusive,
        help: .localized(
            "Have it stand before all that aren't pinned, or no longer.",
            de: "Sie vor alle stellen, die nicht angeheftet sind, oder nicht mehr."))
    var pin: Pinning?

    @Flag(
        exclusivity: .exclusive,
        help: .localized("Put it away, or take it out again.", de: "Sie weglegen, oder wieder hervorholen."))
    var archive: Archiving?

    @Flag(
        help: .localized(
            "Put it before all others: of the pinned ones, if it is pinned.",
            de: "Sie vor alle anderen stellen; ist sie angeheftet, vor die angehefteten."))
    var first = false

    @Option(help: .localized("Put it before this list.", de: "Sie vor diese Liste stellen."), completion: .lists)
    var before: String?

    @Option(help: .localized("Put it behind this list.", de: "Sie hinter diese Liste stellen."), completion: .lists)
    var after: String?

    @OptionGroup var options: DeviceOptions

    enum Pinning: String, EnumerableFlag { case pin, unpin }
    enum Archiving: String, EnumerableFlag { case archive, unarchive }

    func validate() throws {
        if [first, before != nil, after != nil].count(where: { $0 }) > 1 {
            throw ValidationError(
                localized(
                    "Give one of --first, --before and --after.",
                    de: "Gib eines davon an: --first, --before oder --after."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let lists = try await device.lists()
        let found = try lists.named(list)
        let list = device.list(found.id)
        // All are looked up before anything is changed.
        let (before, after) = (try before.map(lists.named), try after.map(lists.named))
        if [before?.id, after?.id].contains(found.id) {
            throw ValidationError(
                localized("A list can't stand beside itself.", de: "Eine Liste kann nicht neben sich selbst stehen."))
        }
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
            sentence(found.name ?? found.id.description, archived ? nil : (place + 1, of: now.count), isPinned: pinned))
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

    /// - Parameter place: among the lists; nil: it is in the archive.
    private func sentence(_ name: String, _ place: (Int, of: Int)?, isPinned: Bool) -> String {
        let pinned = isPinned ? localized(", pinned", de: ", angeheftet") : ""
        guard let place else {
            return localized("'\(name)' is in the archive\(pinned).", de: "„\(name)“ ist im Archiv\(pinned).")
        }
        return localized(
            "'\(name)' is list \(place.0) of \(place.of)\(pinned).",
            de: "„\(name)“ ist Liste \(place.0) von \(place.of)\(pinned).")
    }
}
