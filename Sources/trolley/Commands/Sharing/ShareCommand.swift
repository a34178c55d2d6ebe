import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ShareCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "share",
            abstract: localized(
                "Share a list with people; without an email, put a list that is only on this device on the service.",
                de: """
                    Eine Liste mit anderen teilen; ohne E-Mail-Adresse eine Liste, die nur auf diesem Gerät ist, zum Dienst \
                    bringen.
                    """),
            discussion: discussion(
                """
                The list and its invitations reach the service in one step. To invite more people later: trolley invite.
                """,
                de: """
                    Die Liste und ihre Einladungen kommen in einem Schritt zum Dienst. Um später noch jemanden einzuladen: \
                    trolley invite.
                    """,
                examples: """
                    trolley share bob@example.com carol@example.com
                    trolley share --list Diary
                    """))
    }

    @Argument(
        help: .localized(
            "The emails of the people to invite.", de: "Die E-Mail-Adressen der Leute, die eingeladen werden."))
    var people: [String] = []

    @Flag(
        help: .localized(
            "They may read the list, but not change it.", de: "Sie dürfen die Liste ansehen, aber nicht ändern."))
    var readOnly = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if readOnly, people.isEmpty {
            throw ValidationError(
                localized(
                    "--read-only needs the emails of the people to invite.",
                    de: "--read-only braucht die E-Mail-Adressen der Leute, die eingeladen werden."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        var invitations: [Invitation] = []
        if people.isEmpty {
            try await device.list(list.id).publish()
        } else {
            invitations = try await device.list(list.id).share(
                with: people.map { InvitationRequest(email: $0, permission: readOnly ? .readOnly : .readWrite) })
        }
        let report = try await device.syncAfterChange()
        if invitations.isEmpty {
            console.say(
                localized(
                    "'\(list.name ?? list.id.description)' goes to the service. To share it: trolley invite EMAIL",
                    de:
                        "„\(list.name ?? list.id.description)“ kommt zum Dienst. Um sie zu teilen: trolley invite E-MAIL"
                ))
        }
        for invitation in invitations { console.say(invitation.text) }
        console.say(report)
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", list.name)
            writer.key("invitations")
            writer.array { writer in
                for invitation in invitations { writer.object { invitation.writeMembers(to: &$0) } }
            }
            writer.waiting(report)
        }
    }
}
