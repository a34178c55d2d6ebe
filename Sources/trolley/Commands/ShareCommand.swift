import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync

struct ShareCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Put a list that is on this device alone on the service, for inviting people and for other devices.",
        discussion: """
            Example:
              trolley share --list Diary
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await device.publish(list.id)
        let report = try await device.trySending()
        console.say("'\(list.name ?? list.id.description)' goes to the service. To share it: trolley invite EMAIL")
        console.say(report)
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
            writer.waiting(report)
        }
    }
}
