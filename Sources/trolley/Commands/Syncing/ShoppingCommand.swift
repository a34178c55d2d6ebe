import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ShoppingCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "shopping",
        abstract: "Go shopping: items that others add wait until you apply them, so that nothing moves.",
        discussion: """
            Others' other changes (mark off, unmark, delete) show at once.

            Example:
              trolley shopping on
              trolley shopping off
            """)

    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case on, off
    }

    @Argument(help: "Whether you are shopping.")
    var mode: Mode

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        try await device.setShopping(mode == .on, in: list.id)
        console.say(mode == .on ? "Others' new items wait: trolley apply" : "Others' new items show at once.")
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("shopping")
            writer.bool(mode == .on)
        }
    }
}
