import ArgumentParser
import FoundationEssentials
import Logging
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore
import TrolleyWire

struct DiagnosticsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diagnostics",
        abstract: "Write a diagnostic log of the service, an account or a list.",
        discussion: """
            Without a filter: totals, and the devices and lists that need attention most. Contains ids, counts, times \
            and codes. Contents, names and addresses only with --with-content. `trolley inspect` compares the JSON \
            with a device's.

            Example:
              trolleyd diagnostics --account alice@example.com --json --output alice.json
            """)

    @Option(help: "Only the devices and lists of the account with this email.")
    var account: String?

    @Option(help: "Only the list with this id, and its participants' devices.")
    var list: String?

    @Flag(help: "Include list contents, names and addresses.")
    var withContent = false

    @Option(help: "Write to this file, which only you can read.")
    var output: String?

    @Flag(help: "Write one JSON document.")
    var json = false

    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        let settings = Settings()
        account = try settings.optional(account, "account")
        list = try settings.optional(list, "list")
        output = try settings.optional(output, "output")
        withContent = try settings.isOn(withContent, "with.content")
        json = try settings.isOn(json, "json")
        if account != nil, list != nil { throw ValidationError("Give --account or --list, not both.") }
        if let list, ListID(list) == nil { throw ValidationError("--list must be a list's id, which is a UUID") }
    }

    func run() async throws {
        let logger = Logger(label: "trolleyd", level: .warning)
        let document = try await database.withPool(Settings(), logger: logger, for: .inspect) { pool in
            let store = Store(pool: pool, reading: .none)
            var scope = ServiceDiagnostics.Scope(list: list.flatMap { ListID($0) })
            if let account { scope.account = try await store.account(named: account) }
            do {
                return try await store.diagnostics(
                    of: scope, version: Trolleyd.version, configuration: ["database": pool.configuration.location],
                    withContent: withContent
                ).json
            } catch let error as StoreError {
                guard case .notOnList = error else { throw error }
                throw CommandError("there is no list \(list ?? "")")
            }
        }
        let text =
            json ? String(decoding: document, as: UTF8.self) : try Outline.text(of: document, counting: ["entries"])
        try await Output.write(to: output) { try $0.write(Array(text.utf8), isJSON: json) }
    }
}

extension Store {
    /// - Throws: `CommandError` when no account has the address.
    func account(named email: String) async throws -> AccountID {
        guard let account = try await account(with: EmailAddress(unchecked: email)) else {
            throw CommandError("no account has the email \(email)")
        }
        return account
    }
}
