import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct InviteCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Invite a person to a list; without an email, create a link for one person or several.",
        discussion: """
            An invitation by email also works after the person has left, until it is withdrawn. A link works for 30 days, and
            once, unless --people says for how many it is. Such a link can be shown again: 'trolley invitations'.

            Example:
              trolley invite bob@example.com
              trolley invite --people 4
              trolley invite --read-only --expires 2d
            """)

    @Argument(help: "The email of the person's account.")
    var email: String?

    @Option(help: ArgumentHelp("How many people may use the link, 2 to 100.", valueName: "number"))
    var people: Int?

    @Flag(help: "They may read the list, but not change it.")
    var readOnly = false

    @Option(help: ArgumentHelp("How long the invitation lasts: 7d, 12h, 30m or 90s.", valueName: "age"))
    var expires: Age?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if people != nil, email != nil { throw ValidationError("--people is for a link: leave out the email.") }
        if let people, !(2...100).contains(people) { throw ValidationError("--people is 2 to 100.") }
    }

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.list(list)
        let invitation = try await device.list(list.id).invite(
            email: email, uses: people, permission: readOnly ? .readOnly : .readWrite,
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
        let anybody =
            uses.map { "A link for the first \($0) people who open it" }
            ?? "An invitation for the first person who opens it"
        let whom = email.map { "An invitation for \($0)" } ?? anybody
        let until = expiresAt.map { ", until \($0.words)" } ?? ""
        return "\(whom)\(until):\n  trolley join '\(link)'"
    }

    func writeMembers(to writer: inout JSONWriter) {
        writer.member("id", id?.description)
        writer.member("link", link)
        writer.member("email", email)
        writer.member("permission", permission.rawValue)
        writer.member("expiresAt", expiresAt?.description)
        if let uses { writer.member("uses", uses) }
    }
}
