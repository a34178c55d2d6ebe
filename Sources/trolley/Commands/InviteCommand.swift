import ArgumentParser
import TrolleyClient
import TrolleyJournal

struct InviteCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite a person to a list; without an email, make a link that works once.",
        discussion: """
            Example:
              trolley invite bob@example.com
              trolley invite --read-only
            """)

    @Argument(help: "The email of the person's account.")
    var email: String?

    @Flag(help: "They may look and not change anything.")
    var readOnly = false

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let invitation = try await device.invite(
            to: list.id, email: email, permission: readOnly ? .readOnly : .readWrite)
        console.say(invitation.email.map { "An invitation for \($0):" } ?? "An invitation for whoever opens it first:")
        console.say("  trolley join '\(invitation.link)'")
        console.answer { writer in
            writer.member("list", list.id)
            writer.member("link", invitation.link)
            writer.member("email", invitation.email)
            writer.member("permission", invitation.permission.rawValue)
            writer.member("expiresAt", invitation.expiresAt?.description)
        }
    }
}
