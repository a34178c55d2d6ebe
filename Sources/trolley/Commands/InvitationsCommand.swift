import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct InvitationsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations",
        abstract: "Show the invitations to one's own list that can still be used.",
        discussion: """
            Their links are shown once, by 'invite'. An invitation by email works again after leaving, until it is withdrawn.

            Example:
              trolley invitations
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let invitations = try await device.invitations(to: list.id)
        if invitations.isEmpty { console.say("Nobody can come onto '\(list.name ?? list.id.description)'.") }
        for invitation in invitations {
            var line = "\(invitation.id)  \(invitation.email ?? "a link that works once")"
            if invitation.permission == .readOnly { line += ", may only look" }
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
