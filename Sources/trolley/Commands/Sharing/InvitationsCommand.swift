import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct InvitationsCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "invitations",
            abstract: localized(
                "Show the open invitations to your list.", de: "Die offenen Einladungen zu deiner Liste zeigen."),
            discussion: discussion(
                """
                'invite' shows their links, once; a link for several people is shown again here, on the device that made it. An
                invitation by email also works after the person has left, until it is
                withdrawn. Invitations that the service has not taken yet, or has refused, come first.
                """,
                de: """
                    „trolley invite“ zeigt ihre Links, einmal; ein Link für mehrere Leute steht hier wieder, auf dem Gerät, \
                    das ihn gemacht hat. Eine Einladung für eine E-Mail-Adresse gilt auch, nachdem die Person gegangen ist, \
                    bis du sie zurückziehst. Einladungen, die der Dienst noch nicht angenommen oder abgelehnt hat, kommen \
                    zuerst.
                    """,
                examples: """
                    trolley invitations
                    """))
    }

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let waiting = try await device.list(list.id).waitingInvitations()
        let open = try await openInvitations(to: device.list(list.id), orNil: !waiting.isEmpty)
        let (invitations, isOffline) = (open ?? [], open == nil)
        let links = try await device.keptLinks()
        for invitation in waiting {
            console.say(
                invitation.refusal == nil
                    ? localized("waits: \(invitation.text)", de: "wartet: \(invitation.text)") : invitation.text)
        }
        if isOffline {
            let reason = try await device.withoutService
            console.say(
                reason + " "
                    + localized("This is what waits on this device.", de: "Das ist, was auf diesem Gerät wartet."))
        }
        if invitations.isEmpty, waiting.isEmpty {
            console.say(
                localized(
                    "'\(list.name ?? list.id.description)' has no open invitations.",
                    de: "Zu „\(list.name ?? list.id.description)“ gibt es keine offenen Einladungen."))
        }
        for invitation in invitations {
            console.say(invitation.line)
            if let link = links[invitation.id] { console.say("  trolley join '\(link)'") }
        }
        console.answer { writer in
            writer.member("list", list.id)
            writer.key("invitations")
            writer.array { writer in
                for invitation in invitations {
                    writer.object { invitation.write(to: &$0, link: links[invitation.id]) }
                }
            }
            writer.key("notSent")
            writer.array { writer in
                for invitation in waiting { writer.object { invitation.write(to: &$0, isWaiting: true) } }
            }
            writer.key("offline")
            writer.bool(isOffline)
        }
    }

    /// - Parameter isEnough: whether there is something to show without them.
    /// - Returns: nil if the service could not be asked, and something else is there to show.
    private func openInvitations(to list: ShoppingList, orNil isEnough: Bool) async throws -> [OpenInvitation]? {
        do {
            return try await list.invitations()
        } catch {
            guard isEnough, error.isOffline else { throw error }
            return nil
        }
    }
}

extension OpenInvitation {
    fileprivate var line: String {
        let link =
            uses.map { uses in
                localized(
                    "a link for \(uses) people, used by \(used ?? 0)",
                    de: "ein Link für \(uses) Personen, benutzt von \(used ?? 0)")
            } ?? localized("a link that works once", de: "ein Link, der einmal gilt")
        var line = "\(id)  \(email ?? link)"
        if permission == .readOnly { line += localized(", read-only", de: ", nur ansehen") }
        if accepted { line += localized(", on the list", de: ", macht mit") }
        if let expiresAt { line += localized(", until \(expiresAt.words)", de: ", gültig bis \(expiresAt.words)") }
        return line
    }

    fileprivate func write(to writer: inout JSONWriter, link: String?) {
        writer.member("id", id)
        writer.member("email", email)
        writer.member("permission", permission.rawValue)
        writer.member("createdAt", createdAt.description)
        writer.member("expiresAt", expiresAt?.description)
        writer.key("accepted")
        writer.bool(accepted)
        if let uses {
            writer.member("uses", uses)
            writer.member("used", used ?? 0)
            writer.member("link", link)
        }
    }
}

extension DeviceError {
    /// Whether the service could not be asked.
    fileprivate var isOffline: Bool {
        switch self {
        case .notSignedIn: true
        case .transport(let error): error.isUnreachable || error.isUnknownList
        default: false
        }
    }
}

extension TransportError {
    /// Whether the list is not on the service, for instance because it waits to be sent, too.
    fileprivate var isUnknownList: Bool {
        if case .problem(let problem) = self { problem.code == .listNotFound } else { false }
    }
}

extension WaitingInvitation {
    /// The person whom the invitation is for, and the command to accept it or the reason why it was refused.
    var text: String {
        let whom = Invitation.whom(email)
        if let refusal {
            let again =
                email.map {
                    localized("To forget it: trolley withdraw \($0)", de: "Um sie zu vergessen: trolley withdraw \($0)")
                } ?? ""
            return localized(
                "\(whom) was refused, and the list remains. \(refusal) \(again)",
                de: "\(whom) wurde abgelehnt; die Liste bleibt. \(refusal.words) \(again)")
        }
        guard let link else {
            return localized(
                "\(whom): it is sent when you have signed in.",
                de: "\(whom): Sie wird gesendet, wenn du angemeldet bist.")
        }
        return "\(whom):\n  trolley join '\(link)'"
    }

    /// - Parameter isWaiting: whether the service has not taken it.
    func write(to writer: inout JSONWriter, isWaiting: Bool) {
        writer.member("link", link)
        writer.member("email", email)
        writer.member("permission", permission.rawValue)
        writer.key("waiting")
        writer.bool(isWaiting && refusal == nil)
        guard let refusal else { return }
        writer.key("refused")
        writer.object { writer in
            writer.member("code", refusal.code.rawValue)
            writer.member("message", "\(refusal)")
        }
    }
}
