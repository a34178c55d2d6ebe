import ArgumentParser
import TrolleyClient

struct RenameCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Give a list another name.",
        discussion: """
            Example:
              trolley rename 'Weekend shop'
            """)

    @Argument(help: "The list's new name.")
    var name: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if name.trimmed.isEmpty { throw ValidationError("Give the list a name.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        try await ListChange(list: list).run(.rename(name.trimmed), on: device, console)
    }
}
