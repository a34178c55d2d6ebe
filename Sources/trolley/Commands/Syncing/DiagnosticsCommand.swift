import ArgumentParser
import TrolleyClient
import TrolleyWire

struct DiagnosticsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnostics",
        abstract: "Write a diagnostic log for a problem report: ids, counts and times, but nothing that you wrote.",
        discussion: """
            Prints one JSON document, with or without --json. 'trolley inspect' compares it with another device's or
            with the service's ('trolleyd diagnostics --json'), and names the first entry that differs.

            Example:
              trolley diagnostics > trolley-diagnostics.json
            """)

    @Flag(help: "Include list contents, so that the contents can be compared as well.")
    var withContent = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let diagnostics = try await device.diagnostics(withContent: withContent)
        Console(json: true).answer { diagnostics.writeMembers(to: &$0) }
    }
}
