import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct StopSharingCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop-sharing",
        abstract: "Stop sharing your list: it leaves all other people's devices.",
        discussion: """
            With --local the list leaves the service, too, and is on this device alone, as it was before it was shared. It also
            leaves your other devices, and its Activity on the service ends.

            Example:
              trolley stop-sharing --list Party
              trolley stop-sharing --local
            """)

    @Flag(help: "Take the list off the service, too: it stays on this device alone.")
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
                ? "'\(name)' is on this device alone now. It leaves your other devices, too."
                : "'\(name)' is only yours now.")
        console.answer { writer in
            writer.member("id", id)
            writer.member("name", list.name)
            writer.key("isLocal")
            writer.bool(local)
        }
    }
}
