import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ParticipantsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "participants",
        abstract: "Show who is on a list.",
        discussion: """
            Example:
              trolley participants
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let share = try await device.participants(of: list.id)
        for participant in share.participants {
            let names = [participant.name, participant.email.map { "<\($0)>" }].compactMap { $0 }
            let name = names.isEmpty ? "(somebody)" : names.joined(separator: " ")
            let may = participant.permission == .readOnly ? ", may only look" : ""
            console.say("\(name)  \(participant.role.rawValue), \(participant.status.rawValue)\(may)")
        }
        console.answer { writer in
            writer.member("list", list.id)
            share.writeMembers(to: &writer)
        }
    }
}
