import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct InviteCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite a person to a list; without an email, create a link that works once.",
        discussion: """
            An invitation by email also works after the person has left, until it is withdrawn. An unused link works for
            30 days.

            Example:
              trolley invite bob@example.com
              trolley invite --read-only --expires 2d
            """)

    @Argument(help: "The email of the person's account.")
    var email: String?

    @Flag(help: "They may read the list, but not change it.")
    var readOnly = false

    @Option(help: ArgumentHelp("How long the invitation lasts: 7d, 12h, 30m or 90s.", valueName: "age"))
    var expires: Age?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let invitation = try await device.list(list.id).invite(
            email: email, permission: readOnly ? .readOnly : .readWrite,
            expiresIn: expires.map { .milliseconds($0.milliseconds) })
        console.say(invitation.text)
        console.answer { writer in
            writer.member("list", list.id)
            invitation.writeMembers(to: &writer)
        }
    }
}

extension Invitation {
    /// The person whom the invitation is for, and the command to accept it.
    var text: String {
        let whom = email.map { "An invitation for \($0)" } ?? "An invitation for the first person who opens it"
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
