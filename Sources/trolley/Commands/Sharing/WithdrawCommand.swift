import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct WithdrawCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "withdraw",
            abstract: localized(
                "Withdraw an invitation to your list. People who have joined by it stay.",
                de: "Eine Einladung zu deiner Liste zurückziehen. Wer mit ihr schon mitmacht, bleibt."),
            discussion: discussion(
                examples: """
                    trolley withdraw bob@example.com
                    """))
    }

    @Argument(
        help: .localized(
            "The invitation, by email or by its id ('trolley invitations' shows both).",
            de: "Die Einladung, mit E-Mail-Adresse oder Kennung („trolley invitations“ zeigt beide)."))
    var invitation: String

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let dismissed = try await device.list(list.id).dismissInvitations(for: invitation)
        let found = dismissed > 0 ? [] : try await device.list(list.id).withdraw(named: invitation)
        guard dismissed > 0 || !found.isEmpty else { throw CommandError.noSuchInvitation(invitation) }
        console.say(
            localized(
                "The invitation to '\(list.name ?? list.id.description)' is no longer valid.",
                de: "Die Einladung zu „\(list.name ?? list.id.description)“ gilt nicht mehr."))
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("withdrawn")
            writer.array { writer in for id in found { writer.identifier(id) } }
        }
    }
}

extension ShoppingList {
    /// Withdraws the invitation with this id, or all invitations for this email.
    func withdraw(named name: String) async throws -> [InvitationID] {
        if let id = InvitationID(name) {
            try await withdraw(id)
            return [id]
        }
        let found = try await invitations().filter { $0.email?.lowercased() == name.lowercased() }.map(\.id)
        for id in found { try await withdraw(id) }
        return found
    }
}
