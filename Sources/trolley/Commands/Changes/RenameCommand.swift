import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct RenameCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "rename",
            abstract: localized("Give a list another name.", de: "Einer Liste einen anderen Namen geben."),
            discussion: discussion(
                examples: """
                    trolley rename 'Weekend shop'
                    """))
    }

    @Argument(help: .localized("The list's new name.", de: "Der neue Name der Liste."))
    var name: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if name.trimmed.isEmpty {
            throw ValidationError(localized("Give the list a name.", de: "Gib der Liste einen Namen."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        try await ListChange(list: list).run(.rename(name.trimmed), on: device, console)
    }
}
