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
        var found: [InvitationID] = []
        var failure: DeviceError?
        // The service may have taken one whose answer was lost.
        let isPublished = try await device.list(list.id).isPublished()
        if dismissed == 0 || isPublished {
            do {
                found = try await device.list(list.id).withdraw(named: invitation)
            } catch let error as DeviceError where dismissed > 0 {
                try await device.noteSessionEnded(shownBy: error)
                failure = error
            }
        }
        guard dismissed > 0 || !found.isEmpty else { throw CommandError.noSuchInvitation(invitation) }
        let sentence = try await sentence(list.name ?? list.id.description, failure, device)
        console.say(sentence)
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("withdrawn")
            writer.array { writer in for id in found { writer.identifier(id) } }
            if failure?.isWithoutService == true { writer.member("offline", true) }
            if let code = failure?.problem?.code { writer.member("failure", code.rawValue) }
        }
    }

    /// - Parameter failure: why the service doesn't say whether it has the invitation; nil: it does.
    private func sentence(_ list: String, _ failure: DeviceError?, _ device: Device) async throws -> String {
        guard let failure else {
            return localized(
                "The invitation to '\(list)' is no longer valid.", de: "Die Einladung zu „\(list)“ gilt nicht mehr.")
        }
        let why = failure.isWithoutService ? try await device.withoutService : failure.statement
        return localized(
            """
            The invitation to '\(list)' won't be sent. \(why) If the service has it already, it is valid until you repeat \
            this: trolley withdraw \(invitation)
            """,
            de: """
                Die Einladung zu „\(list)“ wird nicht mehr gesendet. \(why) Wenn der Dienst sie schon hat, gilt sie, bis du das \
                wiederholst: trolley withdraw \(invitation)
                """)
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
