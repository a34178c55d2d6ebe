import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct TokensCommand: DeviceCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "tokens",
            abstract: localized(
                "Show the account's personal tokens, or add or revoke one.",
                de: "Die Schlüssel des Kontos für andere Programme zeigen, oder einen anlegen oder widerrufen."),
            discussion: discussion(
                """
                A personal token is a key for another program: a script, a home automation, or a task app that syncs by CalDAV, \
                where it is the password (an app password). It may open all lists or some, change them or only read, and end by \
                itself. What it changes stands in the Activity under its name. It can't manage the account, its devices, or who \
                is on a list. The answer of 'add' has the token; it is shown only once. A revoked token is refused at once.
                """,
                de: """
                    Ein Schlüssel ist für ein anderes Programm: ein Skript, eine Hausautomation oder eine Aufgaben-App, die \
                    mit CalDAV abgleicht, wo er das Passwort ist (ein App-Passwort). Er darf alle Listen öffnen oder einige, \
                    sie ändern oder nur lesen, und von selbst enden. Was er ändert, steht unter seinem Namen im Verlauf. Das \
                    Konto, seine Geräte und wer auf einer Liste ist, kann er nicht verwalten. Die Antwort von „add“ enthält \
                    den Schlüssel; er wird nur einmal gezeigt. Ein widerrufener Schlüssel gilt sofort nicht mehr.
                    """,
                examples: """
                    trolley tokens
                    trolley tokens add "Ann's Thunderbird"
                    trolley tokens add Dashboard --read-only --only 'Weekly shop' --days 90
                    trolley tokens revoke Dashboard
                    """))
    }

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case add, revoke
    }

    @Argument(
        help: .localized(
            "add or revoke. Without it, the tokens are shown.",
            de: "add oder revoke. Ohne Angabe werden die Schlüssel gezeigt."))
    var action: Action?

    @Argument(
        help: .localized(
            "The new token's name; or the name or id of the token to revoke.",
            de: "Der Name des neuen Schlüssels; oder Name oder Kennung des Schlüssels, der widerrufen wird."))
    var name: String?

    @Flag(
        help: .localized(
            "The token reads lists and changes nothing.", de: "Der Schlüssel liest Listen und ändert nichts."))
    var readOnly = false

    @Option(
        name: .customLong("only"),
        help: ArgumentHelp(
            localized(
                "A list that the token opens; repeat it for several.",
                de: "Eine Liste, die der Schlüssel öffnet; für mehrere auch mehrmals."), valueName: "list"),
        completion: .lists)
    var lists: [String] = []

    @Option(help: .localized("Days after which the token ends.", de: "Nach so vielen Tagen endet der Schlüssel."))
    var days: Int?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if action != nil, name == nil {
            throw ValidationError(localized("Give the token's name.", de: "Gib den Namen des Schlüssels an."))
        }
        guard action != .add else {
            if let days, !(1...3650).contains(days) {
                throw ValidationError(localized("--days is 1 to 3650.", de: "--days geht von 1 bis 3650."))
            }
            return
        }
        if readOnly || !lists.isEmpty || days != nil {
            throw ValidationError(
                localized(
                    "--read-only, --only and --days go with 'add'.",
                    de: "--read-only, --only und --days gehören zu „add“."))
        }
    }

    func run(on device: Device, _ console: Console) async throws {
        switch (action, name) {
        case (.add, let name?):
            var opened: [ListID] = []
            if !lists.isEmpty {
                let known = try await device.lists()
                opened = try lists.map { name in try known.named(name).id }
            }
            let end = days.map { days in Timestamp.now().advanced(byMilliseconds: Int64(days) * 86_400_000) }
            let made = try await device.account.createPersonalToken(
                PersonalTokenRequest(
                    name: name, readOnly: readOnly, lists: opened.isEmpty ? nil : opened, expiresAt: end))
            console.say(
                localized(
                    "The token '\(made.name)', which is shown only now:",
                    de: "Der Schlüssel „\(made.name)“, der nur jetzt zu sehen ist:"))
            console.say(made.token ?? "")
            answer([made], console)
        case (.revoke, let name?):
            let tokens = try await device.account.personalTokens()
            let found = try tokens.named(name)
            try await device.account.revokePersonalToken(found.id)
            console.say(localized("'\(found.name)' is revoked.", de: "„\(found.name)“ ist widerrufen."))
            answer(tokens.filter { $0.id != found.id }, console)
        default:
            let tokens = try await device.account.personalTokens()
            if tokens.isEmpty {
                console.say(localized("There are no personal tokens.", de: "Es gibt keine Schlüssel."))
            }
            let table = Table(tokens.map(\.cells), shrinkableColumn: 1)
            for line in table.lines(width: Terminal.size.columns) { console.say(line) }
            answer(tokens, console)
        }
    }

    private func answer(_ tokens: [PersonalTokenResponse], _ console: Console) {
        console.answer { writer in
            writer.key("tokens")
            writer.array { writer in
                for token in tokens { writer.object { token.write(to: &$0) } }
            }
        }
    }
}

extension [PersonalTokenResponse] {
    /// The token with this id, or the only one with this name.
    fileprivate func named(_ name: String) throws -> PersonalTokenResponse {
        if let token = first(where: { $0.id.description == name.lowercased() }) { return token }
        let found = filter { $0.name.lowercased() == name.lowercased() }
        guard let token = found.first else { throw CommandError.noSuchToken(name) }
        guard found.count == 1 else {
            throw CommandError.ambiguousToken(
                name,
                found.map { token in
                    let made = localized("made \(token.createdAt.words)", de: "angelegt \(token.createdAt.words)")
                    return "  \(token.id)  \(made)"
                })
        }
        return token
    }
}

extension PersonalTokenResponse {
    fileprivate var cells: [String] {
        [
            id.description, name,
            readOnly
                ? localized("reads \(opened)", de: "liest \(opened)")
                : localized("changes \(opened)", de: "ändert \(opened)"),
            lastUsedAt.map { localized("last used \($0.words)", de: "zuletzt benutzt \($0.words)") }
                ?? localized("never used", de: "nie benutzt"),
            expiresAt.map { localized("ends \($0.words)", de: "endet \($0.words)") } ?? "",
        ]
    }

    private var opened: String {
        lists.map { Noun.list.counted($0.count) } ?? localized("all lists", de: "alle Listen")
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("id", id)
        writer.member("name", name)
        writer.member("readOnly", readOnly)
        writer.key("lists")
        if let lists {
            writer.array { writer in
                for list in lists { writer.string(list.description) }
            }
        } else {
            writer.null()
        }
        writer.member("createdAt", createdAt.description)
        writer.member("lastUsedAt", lastUsedAt?.description)
        writer.member("expiresAt", expiresAt?.description)
        writer.member("token", ifAny: token)
    }
}
