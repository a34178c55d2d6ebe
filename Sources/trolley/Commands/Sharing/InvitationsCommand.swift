import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

struct InvitationsCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "invitations",
        abstract: "Show the open invitations to your list.",
        discussion: """
            'invite' shows their links, once; a link for several people is shown again here, on the device that made it. An
            invitation by email also works after the person has left, until it is
            withdrawn. Invitations that the service has not taken yet, or has refused, come first.

            Example:
              trolley invitations
            """)

    @OptionGroup var list: ListOptions
    @OptionGroup var options: DeviceOptions

    func run(on device: Device, _ console: Console) async throws {
        let list = try await device.listOnService(list)
        let waiting = try await device.list(list.id).waitingInvitations()
        let open = try await openInvitations(to: device.list(list.id), orNil: !waiting.isEmpty)
        let (invitations, isOffline) = (open ?? [], open == nil)
        let links = try await device.keptLinks()
        for invitation in waiting {
            console.say(invitation.refusal == nil ? "waits: \(invitation.text)" : invitation.text)
        }
        if isOffline {
            let reason = try await device.withoutService
            console.say("\(reason) This is what waits on this device.")
        }
        if invitations.isEmpty, waiting.isEmpty {
            console.say("'\(list.name ?? list.id.description)' has no open invitations.")
        }
        for invitation in invitations {
            let link = invitation.uses.map { "a link for \($0) people, used by \(invitation.used ?? 0)" }
            var line = "\(invitation.id)  \(invitation.email ?? link ?? "a link that works once")"
            if invitation.permission == .readOnly { line += ", read-only" }
            if invitation.accepted { line += ", on the list" }
            if let expiresAt = invitation.expiresAt { line += ", until \(expiresAt.words)" }
            console.say(line)
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
        let whom = email.map { "An invitation for \($0)" } ?? "An invitation for the first person who opens it"
        if let refusal {
            let again = email.map { "To forget it: trolley withdraw \($0)" } ?? ""
            return "\(whom) was refused, and the list remains. \(refusal) \(again)"
        }
        guard let link else { return "\(whom): it is sent when you have signed in." }
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
