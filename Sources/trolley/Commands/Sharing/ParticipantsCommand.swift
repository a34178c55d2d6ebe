import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct ParticipantsCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "participants",
            abstract: localized(
                "Show who is on a list, who has it open now, and how far they have read.",
                de: "Zeigen, wer auf einer Liste ist, wer sie gerade offen hat und wie weit alle gelesen haben."),
            discussion: discussion(
                examples: """
                    trolley participants
                    """))
    }

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let people = try await ProgressBar(device: device).during { try await device.list(list.id).people() }
        for participant in people.share.participants { console.say(people.line(participant)) }
        // Only the service knows who has the list open.
        if people.presence == nil {
            let knownLast = try await device.knownLast
            console.say(knownLast)
        }
        console.answer { writer in
            writer.member("list", list.id)
            people.share.writeMembers(to: &writer)
            writer.key("offline")
            writer.bool(people.presence == nil)
            writer.key("presence")
            writer.array { writer in
                for presence in people.presence ?? [] {
                    writer.object { writer in
                        writer.member("account", presence.account)
                        writer.member("until", presence.until.description)
                    }
                }
            }
            writer.key("reads")
            writer.array { writer in
                for read in people.reads ?? [] {
                    writer.object { writer in
                        writer.member("account", read.account)
                        writer.member("through", Int(read.through.rawValue))
                    }
                }
            }
        }
    }
}

extension ShareResponse {
    fileprivate func line(_ participant: Participant) -> String {
        let names = [participant.name, participant.email.map { "<\($0)>" }].compactMap { $0 }
        var line = names.isEmpty ? "(\(participant.displayName))" : names.joined(separator: " ")
        line += "  \(participant.role.words), \(participant.status.words)"
        if participant.permission == .readOnly { line += localized(", read-only", de: ", nur ansehen") }
        if presence?.contains(where: { $0.account == participant.account }) == true {
            line += localized(", has it open", de: ", hat sie offen")
        }
        if let read = reads?.first(where: { $0.account == participant.account }) {
            line += localized(
                ", has read up to \(read.through.rawValue)", de: ", hat bis \(read.through.rawValue) gelesen")
        }
        return line
    }
}
