import ArgumentParser
import TrolleyClient
import TrolleyWire

struct NewCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Create a list, and make it the current one.",
        discussion: """
            Example:
              trolley new 'Weekly shop' --colour green
            """)

    @Argument(help: "The list's name.")
    var name: String

    @Option(help: "The list's colour.")
    var colour: String?

    @Flag(help: "Keep it only on this device until 'share' or 'invite'.")
    var local = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if name.allSatisfy(\.isWhitespace) { throw ValidationError("Give the list a name.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.makeList(named: name, colour: colour, isLocal: local)
        let report = try await device.syncAfterChange()
        console.say("Made '\(name)'. It is the current list.")
        console.say(report)
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", name)
            writer.waiting(report)
        }
        try console.finishChange(report)
    }
}
