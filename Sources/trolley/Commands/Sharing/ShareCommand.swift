import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct ShareCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "share",
        abstract: "Share a list with people; without an email, put a list that is only on this device on the service.",
        discussion: """
            The list and its invitations reach the service in one step. To invite more people later: trolley invite.

            Example:
              trolley share bob@example.com carol@example.com
              trolley share --list Diary
            """)

    @Argument(help: "The emails of the people to invite.")
    var people: [String] = []

    @Flag(help: "They may read the list, but not change it.")
    var readOnly = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if readOnly, people.isEmpty { throw ValidationError("--read-only needs the emails of the people to invite.") }
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
            console.say("'\(list.name ?? list.id.description)' goes to the service. To share it: trolley invite EMAIL")
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
