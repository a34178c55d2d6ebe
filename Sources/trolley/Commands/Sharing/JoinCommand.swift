import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct JoinCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Accept an invitation, fetch its list, and make it the current one.",
        discussion: """
            Example:
              trolley join 'http://localhost:8080/join#SECRET'
              trolley join --look 'http://localhost:8080/join#SECRET'
            """)

    @Argument(help: "The link of the invitation.")
    var link: String

    @Flag(help: "Only show the invitation, without accepting it.")
    var look = false

    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        if look { return show(try await device.previewInvitation(link), console) }
        let (list, report, invitation) = try await device.join(link)
        let name = try await list.state().name ?? invitation?.name
        console.say("You are on '\(name ?? list.id.description)'. It is the current list.")
        if let failure = report.failure {
            console.say("Its items could not be fetched yet; the next sync brings them. \(failure.words())")
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
        let name = invitation.name.map { "'\($0)'" } ?? "a list without a name"
        if invitation.accepted {
            console.say("You are on \(name) already; \(invitation.owner) shares it.")
        } else {
            let may = invitation.permission == .readOnly ? ", to look at" : ""
            console.say("\(invitation.owner) invites you to \(name)\(may). To accept: trolley join '\(link)'")
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
        return
            "It begins with: \(items.map(\.inOneLine).joined(separator: ", "))\(more > 0 ? ", and \(more) more" : "")."
    }
}
