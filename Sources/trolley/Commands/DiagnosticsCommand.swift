import ArgumentParser
import TrolleyClient
import TrolleyWire

struct DiagnosticsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnostics",
        abstract: "Write what to send with the report of a problem: ids, counts and times, nothing that you wrote.",
        discussion: """
            It is one JSON document, with or without --json. 'trolley inspect' compares it with another device's or with the
            service's ('trolleyd diagnostics --json'), and names the entry at which they part.

            Example:
              trolley diagnostics > trolley-diagnostics.json
            """)

    @Flag(help: "With what you wrote, so that what the lists show can be compared as well.")
    var withContent = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let diagnostics = try await device.diagnostics(withContent: withContent)
        Console(json: true).answer { diagnostics.writeMembers(to: &$0) }
    }
}
