import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct JoinCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Accept an invitation, fetch its list, and make it the current one.",
        discussion: """
            Example:
              trolley join 'http://localhost:8080/join#SECRET'
            """)

    @Argument(help: "The link of the invitation.")
    var link: String

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let (list, report) = try await device.join(link)
        let state = try await device.state(of: list)
        console.say("You are on '\(state.name ?? list.description)'. It is the current list.")
        console.say(report)
        console.answer { writer in
            writer.member("id", list)
            writer.member("name", state.name)
            writer.waiting(report)
        }
    }
}
