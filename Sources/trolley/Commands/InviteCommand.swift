import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct InviteCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite a person to a list; without an email, make a link that works once.",
        discussion: """
            An invitation by email works again after leaving, until it is withdrawn; a link that nobody opens, 30 days.

            Example:
              trolley invite bob@example.com
              trolley invite --read-only --expires 2d
            """)

    @Argument(help: "The email of the person's account.")
    var email: String?

    @Flag(help: "They may look and not change anything.")
    var readOnly = false

    @Option(help: ArgumentHelp("How long the invitation lasts: 7d, 12h, 30m or 90s.", valueName: "age"))
    var expires: Age?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let invitation = try await device.invite(
            to: list.id, email: email, permission: readOnly ? .readOnly : .readWrite,
            expiresIn: expires.map { .milliseconds($0.milliseconds) })
        console.say(invitation.text)
        console.answer { writer in
            writer.member("list", list.id)
            invitation.writeMembers(to: &writer)
        }
    }
}

extension Invitation {
    /// For whom it is and how they come onto the list.
    var text: String {
        let whom = email.map { "An invitation for \($0)" } ?? "An invitation for whoever opens it first"
        let until = expiresAt.map { ", until \($0.words)" } ?? ""
        return "\(whom)\(until):\n  trolley join '\(link)'"
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id?.description)
        writer.member("link", link)
        writer.member("email", email)
        writer.member("permission", permission.rawValue)
        writer.member("expiresAt", expiresAt?.description)
    }
}
