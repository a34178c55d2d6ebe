import ArgumentParser
import TrolleyClient
import TrolleyJournal
import TrolleyWire

struct TokensCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens",
        abstract: "Show the account's personal tokens, or add or revoke one.",
        discussion: """
            A personal token is a key for another program: a script, a home automation, or a task app that syncs by CalDAV, \
            where it is the password (an app password). It may open all lists or some, change them or only read, and end by \
            itself. What it changes stands in the Activity under its name. It can't manage the account, its devices, or who \
            is on a list. The answer of 'add' has the token; it is shown only once. A revoked token is refused at once.

            Example:
              trolley tokens
              trolley tokens add "Ann's Thunderbird"
              trolley tokens add Dashboard --read-only --only 'Weekly shop' --days 90
              trolley tokens revoke Dashboard
            """)

    enum Action: String, ExpressibleByArgument, CaseIterable {
        case add, revoke
    }

    @Argument(help: "add or revoke. Without it, the tokens are shown.")
    var action: Action?

    @Argument(help: "The new token's name; or the name or id of the token to revoke.")
    var name: String?

    @Flag(help: "The token reads lists and changes nothing.")
    var readOnly = false

    @Option(
        name: .customLong("only"),
        help: ArgumentHelp("A list that the token opens; repeat it for several.", valueName: "list"),
        completion: .lists)
    var lists: [String] = []

    @Option(help: "Days after which the token ends.")
    var days: Int?

    @OptionGroup var options: DeviceOptions

    func validate() throws {
        if action != nil, name == nil { throw ValidationError("Give the token's name.") }
        guard action != .add else {
            if let days, !(1...3650).contains(days) { throw ValidationError("--days is 1 to 3650.") }
            return
        }
        if readOnly || !lists.isEmpty || days != nil {
            throw ValidationError("--read-only, --only and --days go with 'add'.")
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
            console.say("The token '\(made.name)', which is shown only now:")
            console.say(made.token ?? "")
            answer([made], console)
        case (.revoke, let name?):
            let tokens = try await device.account.personalTokens()
            let found = try tokens.named(name)
            try await device.account.revokePersonalToken(found.id)
            console.say("'\(found.name)' is revoked.")
            answer(tokens.filter { $0.id != found.id }, console)
        default:
            let tokens = try await device.account.personalTokens()
            if tokens.isEmpty { console.say("There are no personal tokens.") }
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
            throw CommandError.ambiguousToken(name, found.map { "  \($0.id)  made \($0.createdAt.words)" })
        }
        return token
    }
}

extension PersonalTokenResponse {
    fileprivate var cells: [String] {
        [
            id.description, name,
            (readOnly ? "reads " : "changes ")
                + (lists.map { $0.count == 1 ? "1 list" : "\($0.count) lists" } ?? "all lists"),
            lastUsedAt.map { "last used \($0.words)" } ?? "never used",
            expiresAt.map { "ends \($0.words)" } ?? "",
        ]
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
