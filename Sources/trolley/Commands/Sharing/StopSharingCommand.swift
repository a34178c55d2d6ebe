import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct StopSharingCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "stop-sharing",
            abstract: localized(
                "Stop sharing your list: it leaves all other people's devices.",
                de: "Deine Liste nicht mehr teilen: Sie verschwindet von den Geräten aller anderen."),
            discussion: discussion(
                """
                With --local the list leaves the service, too, and is on this device alone, as it was before it was shared. It also
                leaves your other devices, and its Activity on the service ends.
                """,
                de: """
                    Mit --local verlässt die Liste auch den Dienst und ist nur auf diesem Gerät, wie vor dem Teilen. Sie \
                    verschwindet auch von deinen anderen Geräten, und ihr Verlauf beim Dienst endet.
                    """,
                examples: """
                    trolley stop-sharing --list Party
                    trolley stop-sharing --local
                    """))
    }

    @Flag(
        help: .localized(
            "Take the list off the service, too: it stays on this device alone.",
            de: "Die Liste auch vom Dienst nehmen: Sie bleibt nur auf diesem Gerät."))
    var local = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        var id = list.id
        if local {
            id = try await device.list(id).makeLocal().id
        } else {
            try await device.list(id).stopSharing()
        }
        let name = list.name ?? list.id.description
        console.say(
            local
                ? localized(
                    "'\(name)' is on this device alone now. It leaves your other devices, too.",
                    de: "„\(name)“ ist jetzt nur auf diesem Gerät. Von deinen anderen Geräten verschwindet sie auch.")
                : localized("'\(name)' is only yours now.", de: "„\(name)“ ist jetzt nur noch deine."))
        console.answer { writer in
            writer.member("id", id)
            writer.member("name", list.name)
            writer.key("isLocal")
            writer.bool(local)
        }
    }
}
