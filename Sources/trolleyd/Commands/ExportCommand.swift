import ArgumentParser
import Logging
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write an account's lists, with their whole Activity, to a file.",
        discussion: """
            Example:
              trolleyd export --account alice@example.com --output alice.json
            """)

    @Option(help: "The account's email.")
    var account: String?

    @Option(help: "Write to this file, which only you can read. (default: standard output)")
    var output: String?

    @Flag(help: "Print a summary as one JSON document; needs --output.")
    var json = false

    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        let settings = Settings()
        account = try settings.optional(account, "account")
        if account == nil { throw ValidationError("Name the account whose lists to export: --account EMAIL") }
        output = try settings.optional(output, "output")
        json = try settings.isOn(json, "json")
        if json, output == nil { throw ValidationError("--json needs --output: the export itself is JSON.") }
    }

    func run() async throws {
        let logger = Logger(label: "trolleyd", level: .warning)
        let lists = try await database.withPool(Settings(), logger: logger, for: .inspect, isRepeatable: output != nil)
        { pool in
            let store = Store(pool: pool, reading: .none)
            let account = try await store.account(store.account(named: account ?? ""))
            let ids = try await store.lists(of: account.id).map(\.id)
            let now = try await store.now()
            return try await Output.write(to: output) { output in
                try await store.export(account, ids, at: now) { try output.write($0) }
                return ids.count
            }
        }
        guard let output else { return }
        if json {
            try printJSON(Report(file: output, lists: lists))
        } else {
            say("\(count(lists, "list")) written to \(output)")
        }
    }

    private struct Report: Encodable {
        let file: String
        let lists: Int
    }
}
