import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct InviteCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "invite",
            abstract: localized(
                "Invite a person to a list; without an email, create a link for one person or several.",
                de: """
                    Jemanden auf eine Liste einladen; ohne E-Mail-Adresse einen Link für eine oder mehrere Personen machen.
                    """),
            discussion: discussion(
                """
                An invitation by email also works after the person has left, until it is withdrawn. A link works for 30 days, and
                once, unless --people says for how many it is. Such a link can be shown again: 'trolley invitations'.
                """,
                de: """
                    Eine Einladung für eine E-Mail-Adresse gilt auch, nachdem die Person gegangen ist, bis du sie \
                    zurückziehst. Ein Link gilt 30 Tage und einmal, außer --people sagt, für wie viele. Ein solcher Link lässt \
                    sich wieder zeigen: „trolley invitations“.
                    """,
                examples: """
                    trolley invite bob@example.com
                    trolley invite --people 4
                    trolley invite --read-only --expires 2d
                    """))
    }

    @Argument(help: .localized("The email of the person's account.", de: "Die E-Mail-Adresse des Kontos der Person."))
    var email: String?

    @Option(
        help: ArgumentHelp(
            localized(
                "How many people may use the link, 2 to 100.",
                de: "Wie viele Personen den Link benutzen dürfen, 2 bis 100."), valueName: "number"))
    var people: Int?

    @Flag(
        help: .localized(
            "They may read the list, but not change it.", de: "Sie dürfen die Liste ansehen, aber nicht ändern."))
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            localized(
                "How long the invitation lasts: 7d, 12h, 30m or 90s.",
                de: "Wie lange die Einladung gilt: 7d, 12h, 30m oder 90s."), valueName: "age"))
    var expires: Age?

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if people != nil, email != nil {
            throw ValidationError(
                localized(
                    "--people is for a link: leave out the email.",
                    de: "--people ist für einen Link: Lass die E-Mail-Adresse weg."))
        }
        if let people, !(2...100).contains(people) {
            throw ValidationError(localized("--people is 2 to 100.", de: "--people geht von 2 bis 100."))
        }
        if let expires, !(1...Age(days: 3650).milliseconds).contains(expires.milliseconds) {
            throw ValidationError(localized("--expires is 1s to 3650d.", de: "--expires geht von 1s bis 3650d."))
        }
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
        let several = uses.map {
            localized(
                "A link for the first \($0) people who open it",
                de: "Ein Link für die ersten \($0) Personen, die ihn öffnen")
        }
        let whom = email == nil ? several ?? Self.whom(nil) : Self.whom(email)
        let until = expiresAt.map { localized(", until \($0.words)", de: ", gültig bis \($0.words)") } ?? ""
        return "\(whom)\(until):\n  trolley join '\(link)'"
    }

    /// The person whom an invitation is for; nil: the first one.
    static func whom(_ email: String?) -> String {
        guard let email else {
            return localized(
                "An invitation for the first person who opens it",
                de: "Eine Einladung für die erste Person, die sie öffnet")
        }
        return localized("An invitation for \(email)", de: "Eine Einladung für \(email)")
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
