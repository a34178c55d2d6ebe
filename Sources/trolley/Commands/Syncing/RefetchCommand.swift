import ArgumentParser
import TrolleyClient
import TrolleySync

struct RefetchCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "refetch",
        abstract: "Fetch one list or all lists again; unsent changes stay.",
        discussion: """
            Example:
              trolley refetch
            """)

    @Option(help: "Only this list, by name or id.", completion: .lists)
    var list: String?

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        guard let list else { return try console.finish(try await device.refetch()) }
        let only = try await device.lists().named(list)
        try console.finish(try await device.refetch(only.id))
    }
}
