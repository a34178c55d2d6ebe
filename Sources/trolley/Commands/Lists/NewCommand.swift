import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct NewCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "new",
            abstract: localized(
                "Create a list, and make it the current one.", de: "Eine Liste anlegen und zur aktuellen machen."),
            discussion: discussion(
                """
                With --invite, it prints each person's link. Without the service, the list and its invitations are made all the
                same and wait to be sent; 'trolley invitations' shows them.
                """,
                de: """
                    Mit --invite gibt der Befehl den Link jeder Person aus. Auch ohne den Dienst entstehen die Liste und ihre \
                    Einladungen und warten aufs Senden; „trolley invitations“ zeigt sie.
                    """,
                examples: """
                    trolley new 'Weekly shop' --colour green
                    trolley new Party --invite bob@example.com --invite carol@example.com
                    trolley new Groceries --from 'The usual'
                    trolley new Groceries --from 'The usual' milk bread
                    """))
    }

    @Argument(help: .localized("The list's name.", de: "Der Name der Liste."))
    var name: String

    @Argument(
        help: .localized(
            "With --from: the only items to take, each by text, position or id on the other list.",
            de: "Mit --from: nur diese Einträge, jeder mit Text, Nummer oder Kennung auf der anderen Liste."))
    var items: [String] = []

    @Option(
        help: ArgumentHelp(
            localized(
                "Begin with another list's items, marked off or not, and with its aisles and colour.",
                de: """
                    Mit den Einträgen einer anderen Liste anfangen, abgehakt oder nicht, und mit ihren Regalen und ihrer Farbe.
                    """), valueName: "list"),
        completion: .lists)
    var from: String?

    @Option(help: .localized("The list's colour.", de: "Die Farbe der Liste."))
    var colour: String?

    @Option(
        help: ArgumentHelp(
            localized(
                "Invite the person with this email; may be repeated.",
                de: "Die Person mit dieser E-Mail-Adresse einladen; auch mehrmals."), valueName: "email"))
    var invite: [String] = []

    @Flag(
        help: .localized(
            "The invited people may read the list, but not change it.",
            de: "Die Eingeladenen dürfen die Liste ansehen, aber nicht ändern."))
    var readOnly = false

    @Flag(
        help: .localized(
            "Keep it only on this device until 'share' or 'invite'.",
            de: "Sie nur auf diesem Gerät behalten, bis zu share oder invite."))
    var local = false

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if name.allSatisfy(\.isWhitespace) {
            throw ValidationError(localized("Give the list a name.", de: "Gib der Liste einen Namen."))
        }
        if let colour { _ = try ListColour.parsed(colour) }
        if from == nil, !items.isEmpty {
            throw ValidationError(
                localized(
                    "Items need a list to take them from: --from LIST. To add new ones: trolley add.",
                    de: """
                        Einträge brauchen eine Liste, von der sie kommen: --from LISTE. Um neue hinzuzufügen: trolley add.
                        """))
        }
        if local, !invite.isEmpty {
            throw ValidationError(
                localized(
                    "A list on this device alone has no other people: give one of --local and --invite.",
                    de: "Eine Liste nur auf diesem Gerät hat keine anderen Leute: Gib --local oder --invite an."))
        }
        if readOnly, invite.isEmpty {
            throw ValidationError(
                localized(
                    "--read-only needs the people to invite: --invite EMAIL.",
                    de: "--read-only braucht die Leute, die eingeladen werden: --invite E-MAIL."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        let template = try await template(on: device, console)
        let (list, made) = try await device.makeList(
            named: name, colour: colour.map(ListColour.parsed), isLocal: local, from: template,
            inviting: invite.map { InvitationRequest(email: $0, permission: readOnly ? .readOnly : .readWrite) })
        let report = try await device.syncAfterChange()
        let waiting = made.isEmpty ? [] : try await list.waitingInvitations()
        let refused = waiting.filter { $0.refusal != nil }
        console.say(
            localized(
                "Made '\(name)'. It is the current list.", de: "„\(name)“ ist angelegt und jetzt die aktuelle Liste."))
        if let template {
            let items = console.count(template.items.count, .item)
            console.say(
                localized("It has \(items) of '\(from ?? "")'.", de: "\(items) von „\(from ?? "")“ sind darauf."))
        }
        for invitation in made where !refused.contains(where: { $0.link == invitation.link }) {
            console.say(invitation.text)
        }
        for invitation in refused { console.say(invitation.text) }
        if waiting.contains(where: { $0.refusal == nil && $0.link != nil }) {
            console.say(
                localized(
                    "These links work as soon as the service has the list. To send it: trolley sync",
                    de: "Diese Links funktionieren, sobald der Dienst die Liste hat. Um sie zu senden: trolley sync"))
        }
        console.say(report)
        console.answer { writer in
            writer.member("id", list.id)
            writer.member("name", name)
            if let template { writer.member("items", template.items.count) }
            if !made.isEmpty {
                writer.key("invitations")
                writer.array { writer in
                    for invitation in made {
                        let now = waiting.first { $0.email == invitation.email && $0.link == invitation.link }
                        writer.object { (now ?? invitation).write(to: &$0, isWaiting: now != nil) }
                    }
                }
            }
            writer.waiting(report)
            if report.rejected == 0, let refusal = refused.first?.refusal {
                writer.key("error")
                writer.object { $0.member("message", "\(refusal)") }
            }
        }
        try console.finishChange(report)
        if !refused.isEmpty { throw ExitCode.failure }
    }

    /// What the list begins with; nil: nothing.
    private func template(on device: Device, _ console: Console) async throws -> ListTemplate? {
        guard let from else { return nil }
        let source = try await device.list(named: from)
        let list = device.list(source.id)
        let state = try await list.state()
        if items.isEmpty {
            if state.items.isEmpty { throw CommandError.nothingToTake(source.name ?? source.id.description) }
            return ListTemplate(state)
        }
        let rows = try await list.shownRows()
        let chosen = try items.map { try console.find($0, among: rows).id }
        return ListTemplate(state, choosing: Set(chosen))
    }
}
