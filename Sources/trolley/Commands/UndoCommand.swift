import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct UndoCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Take back what was last done to a list on this device.",
        discussion: """
            What somebody else has decided anew since stays as they have it.

            Example:
              trolley undo
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let entries = try await device.undo(on: list.id)
        try await console.answer(reverting: entries, "undo", "Undone", on: list, device)
    }
}

struct RedoCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Do again what was last undone.",
        discussion: """
            Example:
              trolley redo
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let entries = try await device.redo(on: list.id)
        try await console.answer(reverting: entries, "redo", "Done again", on: list, device)
    }
}

extension Console {
    fileprivate func answer(
        reverting entries: [JournalEntry], _ verb: String, _ done: String, on list: ListSummary, _ device: Device
    ) async throws {
        let report = try await device.trySending()
        if entries.isEmpty {
            say("There is nothing to \(verb).")
        } else {
            say("\(done): \(count(entries.count, "change")).")
        }
        say(report)
        answer { writer in
            writer.member("list", list.id)
            writer.key("entries")
            writer.array { writer in
                for entry in entries { entry.write(to: &writer) }
            }
            writer.waiting(report)
        }
    }
}
