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
