import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct JoinCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "join",
            abstract: localized(
                "Accept an invitation, fetch its list, and make it the current one.",
                de: "Eine Einladung annehmen, ihre Liste holen und zur aktuellen machen."),
            discussion: discussion(
                examples: """
                    trolley join 'http://localhost:8080/join#SECRET'
                    trolley join --look 'http://localhost:8080/join#SECRET'
                    """))
    }

    @Argument(help: .localized("The link of the invitation.", de: "Der Link der Einladung."))
    var link: String

    @Flag(
        help: .localized(
            "Only show the invitation, without accepting it.", de: "Die Einladung nur zeigen, ohne sie anzunehmen."))
    var look = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        if look { return show(try await device.previewInvitation(link), console) }
        let (list, report, invitation) = try await device.join(link)
        let name = try await list.state().name ?? invitation?.name
        console.say(
            localized(
                "You are on '\(name ?? list.id.description)'. It is the current list.",
                de: "Du bist auf „\(name ?? list.id.description)“. Das ist jetzt die aktuelle Liste."))
        if let failure = report.failure {
            console.say(
                localized(
                    "Its items could not be fetched yet; the next sync brings them. \(failure.words())",
                    de:
                        "Ihre Einträge ließen sich noch nicht holen; der nächste Abgleich bringt sie. \(failure.words())"
                ))
        } else {
            console.say(report)
        }
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", name)
            writer.waiting(report)
            if let failure = report.failure { writer.member("notFetched", failure.message.code.rawValue) }
        }
    }

    private func show(_ invitation: InvitationPreview, _ console: Console) {
        let name =
            invitation.name.map { localized("'\($0)'", de: "„\($0)“") }
            ?? localized("a list without a name", de: "einer Liste ohne Namen")
        if invitation.accepted {
            console.say(
                localized(
                    "You are on \(name) already; \(invitation.owner) shares it.",
                    de: "Du bist schon auf \(name); \(invitation.owner) teilt sie."))
        } else {
            let isReadOnly = invitation.permission == .readOnly
            console.say(
                localized(
                    "\(invitation.owner) invites you to \(name)\(isReadOnly ? ", to look at" : ""). ",
                    de: "\(invitation.owner) lädt dich zu \(name) ein\(isReadOnly ? ", zum Ansehen" : ""). ")
                    + localized("To accept: trolley join '\(link)'", de: "Um mitzumachen: trolley join '\(link)'"))
        }
        if let beginning = invitation.beginning { console.say(beginning) }
        console.answer { writer in
            writer.member("id", invitation.list)
            writer.member("name", invitation.name)
            writer.member("colour", invitation.colour)
            writer.member("owner", invitation.owner)
            writer.member("permission", invitation.permission.rawValue)
            writer.key("accepted")
            writer.bool(invitation.accepted)
            guard let items = invitation.items else { return }
            writer.key("items")
            writer.array { writer in for item in items { writer.string(item) } }
            writer.member("wanted", invitation.wanted)
        }
    }
}

extension InvitationPreview {
    /// What stands first on the list; nil if nothing does, or the service doesn't say.
    fileprivate var beginning: String? {
        guard let items, !items.isEmpty else { return nil }
        let more = (wanted ?? items.count) - items.count
        let texts = items.map(\.inOneLine).joined(separator: ", ")
        return localized(
            "It begins with: \(texts)\(more > 0 ? ", and \(more) more" : "").",
            de: "Sie fängt an mit: \(texts)\(more > 0 ? " und \(more) weiteren" : "").")
    }
}
