import ArgumentParser
import FoundationEssentials
import Logging
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import lists from an exported file into an account.",
        discussion: """
            The new lists show the same as the exported ones. A second import of the same file changes nothing. An \
            invalid file is refused completely.

            Example:
              trolleyd import --account alice@example.com alice.json
            """)

    @Option(help: "The email of the account that gets the lists.")
    var account: String?

    @Argument(help: "The file.")
    var file: String

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        let settings = Settings()
        account = try settings.optional(account, "account")
        if account == nil { throw ValidationError("Name the account that gets the lists: --account EMAIL") }
    }

    func run() async throws {
        let document: ImportDocument
        do {
            document = try ImportDocument(json: Array(try Data(contentsOf: URL(filePath: file))))
        } catch let error as WireError {
            throw CommandError("\(file): \(error). Nothing was imported.")
        } catch {
            throw CommandError("\(file) can't be read. Check that it exists and that you may read it.")
        }
        let logger = Logger(label: "trolleyd", level: .warning)
        let lists = try await database.withPool(Settings(), logger: logger, for: .inspect) { pool in
            let store = Store(pool: pool)
            return try await store.importLists(document, for: store.account(named: account ?? ""), limits: Limits())
        }
        if answer.json {
            try printJSON(Report(lists: lists.map(Report.List.init)))
        } else {
            for list in lists { say("\(list.name?.inOneLine ?? "(no name)"): \(list.sentence)") }
            say("\(count(lists.count, "list")) imported")
        }
        if lists.contains(where: { $0.refused > 0 }) { throw ExitCode.failure }
    }

    private struct Report: Encodable {
        struct List: Encodable {
            let source: String
            let list: String
            let added: Int
            let present: Int
            let refused: Int

            init(_ list: ImportedList) {
                source = list.source.description
                self.list = list.list.description
                added = list.added
                present = list.present
                refused = list.refused
            }
        }
        let lists: [List]
    }
}
