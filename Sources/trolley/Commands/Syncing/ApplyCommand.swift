import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ApplyCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Show the items that others have added while you were shopping.",
        discussion: """
            Example:
              trolley apply
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let applied = try await device.toApply(in: list.id)
        try await device.apply(in: list.id)
        console.say(applied.isEmpty ? "Nothing was waiting." : "\(console.count(applied.count, "change")) applied.")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("applied", applied.count)
        }
    }
}
