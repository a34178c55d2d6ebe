public import ArgumentParser
import Logging
import TrolleyJournal
import TrolleyServer
import TrolleyStore
public import TrolleyWire

struct CompressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compress",
        abstract: "Compress the lists' journals. For cron.",
        discussion: """
            Removes finished items (deleted or marked off) and changes that later changes have overwritten, if they \
            are older than --older-than. Lists show the same as before. The Activity keeps everything, or as much as \
            --activity-retention says. It is safe to kill it, and to run several at once. Exits with 0 when it has \
            finished, 1 when the database or any list failed, 64 for wrong use.

            Example:
              trolleyd compress --older-than 14d --parallel 4
            """)

    @Option(help: "The age from which changes are compressed: 14d, 12h, 30m, 45s. (default: 14d)")
    var olderThan: Age?

    @Option(help: "Only the list with this id.")
    var list: String?

    @Option(help: "Lists, or bundles of short lists, to compress at the same time. (default: 4)")
    var parallel: Int?

    @Flag(help: "Only count the entries that would be removed.")
    var dryRun = false

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var retention: RetentionOptions
    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        let settings = Settings()
        list = try settings.optional(list, "list")
        dryRun = try settings.isOn(dryRun, "dry.run")
        parallel = try settings.value(parallel, "compress.parallel", default: 4)
        guard let parallel, (1...64).contains(parallel) else { throw ValidationError("--parallel must be 1 to 64") }
    }

    func run() async throws {
        let settings = Settings()
        let age = try settings.compressionAge(olderThan)
        let retention = try retention.retention(settings, olderThan: age)
        let only = try list.map { text in
            guard let id = ListID(text) else { throw ValidationError("--list must be a list's id, which is a UUID") }
            return id
        }
        let logger = Logger(label: "trolleyd", level: .warning)
        let started = ContinuousClock.now
        var summary = try await database.withPool(
            settings, connections: (parallel ?? 4) + 1, logger: logger, for: .inspect
        ) { pool in
            let store = Store(pool: pool)
            if let only, try await store.existing([only]).isEmpty { throw CommandError("there is no list \(only)") }
            var summary = Summary(dryRun: dryRun)
            let outcome = try await Sweep(retention, parallel: parallel ?? 4, isDryRun: dryRun).run(
                on: store, only: only
            ) { result, _ in
                switch result {
                case .success(let compressed): summary.add(compressed)
                case .failure(let error):
                    summary.failed += 1
                    logger.error("a list could not be compressed", metadata: ["error": "\(error)"])
                }
            }
            summary.cutOff = outcome.cutOff.description
            summary.trailDropped = outcome.trailDropped
            summary.monthsDropped = outcome.monthsDropped
            if only == nil, !dryRun {
                // A schema before migration 32 has no place for it.
                try? await store.note(
                    .compressed(lists: summary.lists, failed: summary.failed, entries: summary.discarded),
                    took: ContinuousClock.now - started)
            }
            return summary
        }
        summary.seconds = Double((ContinuousClock.now - started) / .milliseconds(1)) / 1000
        try report(summary)
        if summary.failed > 0 { throw ExitCode.failure }
    }

    private func report(_ summary: Summary) throws {
        if answer.json {
            try printJSON(summary)
            return
        }
        let verb = dryRun ? "would be discarded" : "discarded"
        say(
            "\(summary.lists) lists, \(summary.examined) entries examined, \(summary.discarded) \(verb), "
                + "\(summary.anchored) with a new anchor, \(summary.postponed) lists postponed, "
                + "\(summary.failed) lists failed; \(summary.rowsRead) rows read")
    }

    private struct Summary: Encodable {
        let dryRun: Bool
        /// Entries received before this time were examined.
        var cutOff = ""
        var lists = 0
        var examined = 0
        var discarded = 0
        var anchored = 0
        /// Lists on which an entry that was about to be removed changed meanwhile. The next run compresses them.
        var postponed = 0
        var failed = 0
        /// Rows of lists and entries that were read.
        var rowsRead = 0
        /// Records of removed entries that were dropped; devices can no longer catch up with them.
        var trailDropped = 0
        /// Months of the Activity that were dropped.
        var monthsDropped = 0
        var seconds = 0.0

        mutating func add(_ compressed: CompressedList?) {
            guard let compressed else { return }
            lists += 1
            examined += compressed.examined
            rowsRead += 1 + compressed.examined
            postponed += compressed.isPostponed ? 1 : 0
            discarded += compressed.discarded
            anchored += compressed.anchored
        }
    }
}

extension Age: ExpressibleByArgument {}
