public import ArgumentParser
import Logging
import TrolleyJournal
import TrolleyStore
public import TrolleyWire

struct Compress: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Take out of the lists' journals what no longer matters. For cron.",
        discussion: """
            Finished items (deleted, or marked off) that are older go, and what later changes have overwritten. The lists \
            show the same as before, and the Activity keeps everything. Safe to run twice, at once, or killed.

            Example:
              trolleyd compress --older-than 14d
            """)

    @Option(help: "How old a change must be, in days, hours, minutes or seconds: 14d, 12h, 30m, 45s. (default: 14d)")
    var olderThan: Age?

    @Option(help: "Only the list with this id.")
    var list: String?

    @Flag(help: "Only say what would go.")
    var dryRun = false

    @Flag(help: "Answer with one JSON document.")
    var json = false

    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        let settings = Settings()
        list = try settings.optional(list, "list")
        dryRun = try settings.isOn(dryRun, "dry.run")
        json = try settings.isOn(json, "json")
    }

    func run() async throws {
        let settings = Settings()
        let age = try settings.value(olderThan, "compress.older.than", default: Age(days: 14))
        let only = try list.map { text in
            guard let id = ListID(text) else { throw ValidationError("--list must be a list's id, which is a UUID") }
            return id
        }
        let logger = Logger(label: "trolleyd", level: .warning)
        let summary = try await database.withPool(settings, logger: logger, joining: true) { pool in
            let store = Store(pool: pool)
            let cutOff = try await store.now().advanced(byMilliseconds: -age.milliseconds)
            let lists = if let only { [only] } else { try await store.listsToCompress(olderThan: cutOff) }
            return try await compress(lists, in: store, olderThan: cutOff, logger: logger)
        }
        try report(summary)
        if summary.failed > 0 { throw ExitCode.failure }
    }

    private func compress(
        _ lists: [ListID], in store: Store, olderThan cutOff: Timestamp, logger: Logger
    ) async throws -> Summary {
        var summary = Summary(dryRun: dryRun, cutOff: cutOff.description)
        // Few at a time: whoever uploads meanwhile goes first.
        let inParallel = 4
        await withTaskGroup(of: Result<CompressedList?, StoreError>.self) { group in
            var waiting = lists[...]
            var running = 0
            while running > 0 || !waiting.isEmpty {
                while running < inParallel, let list = waiting.popFirst() {
                    running += 1
                    group.addTask {
                        do throws(StoreError) {
                            return .success(try await store.compress(list, olderThan: cutOff, dryRun: dryRun))
                        } catch { return .failure(error) }
                    }
                }
                guard let result = await group.next() else { break }
                running -= 1
                switch result {
                case .success(let compressed): summary.add(compressed)
                case .failure(let error):
                    summary.failed += 1
                    logger.error("a list could not be compressed", metadata: ["error": "\(error)"])
                }
            }
        }
        return summary
    }

    private func report(_ summary: Summary) throws {
        if json {
            try printJSON(summary)
            return
        }
        let verb = dryRun ? "would be discarded" : "discarded"
        print(
            "\(summary.lists) lists, \(summary.examined) entries examined, \(summary.discarded) \(verb), "
                + "\(summary.anchored) with a new anchor, \(summary.failed) lists failed")
    }

    private struct Summary: Encodable {
        let dryRun: Bool
        /// What was received before was looked at.
        let cutOff: String
        var lists = 0
        var examined = 0
        var discarded = 0
        var anchored = 0
        var failed = 0

        mutating func add(_ compressed: CompressedList?) {
            guard let compressed else { return }
            lists += 1
            examined += compressed.examined
            discarded += compressed.discarded
            anchored += compressed.anchored
        }
    }
}

extension Age: ExpressibleByArgument {}
