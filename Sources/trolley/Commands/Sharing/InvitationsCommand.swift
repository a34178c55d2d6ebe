import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct InvitationsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations",
        abstract: "Show the open invitations to your list.",
        discussion: """
            'invite' shows their links, once. An invitation by email also works after the person has left, until it is
            withdrawn.

            Example:
              trolley invitations
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let invitations = try await device.list(list.id).invitations()
        if invitations.isEmpty { console.say("'\(list.name ?? list.id.description)' has no open invitations.") }
        for invitation in invitations {
            var line = "\(invitation.id)  \(invitation.email ?? "a link that works once")"
            if invitation.permission == .readOnly { line += ", read-only" }
            if invitation.accepted { line += ", on the list" }
            if let expiresAt = invitation.expiresAt { line += ", until \(expiresAt.words)" }
            console.say(line)
        }
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("invitations")
            writer.array { writer in
                for invitation in invitations { writer.object { invitation.write(to: &$0) } }
            }
        }
    }
}

extension OpenInvitation {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("email", email)
        writer.member("permission", permission.rawValue)
        writer.member("createdAt", createdAt.description)
        writer.member("expiresAt", expiresAt?.description)
        writer.key("accepted")
        writer.bool(accepted)
    }
}
