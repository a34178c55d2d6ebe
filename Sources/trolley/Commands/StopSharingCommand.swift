import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct StopSharingCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop-sharing",
        abstract: "Stop sharing your list: it leaves all other people's devices.",
        discussion: """
            Example:
              trolley stop-sharing --list Party
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        try await device.stopSharing(list.id)
        console.say("'\(list.name ?? list.id.description)' is only yours now.")
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
        }
    }
}
