import ArgumentParser
import Logging
import TrolleyJournal
import TrolleyPostgres
import TrolleyStore

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate the database's schema, or show which migrations are applied.",
        discussion: """
            `serve` migrates when it starts. Where the extension citus is installed, both also distribute the \
            lists' tables over its nodes. A database that has data is backed up first.

            Example:
              trolleyd migrate --status --database-url postgresql://localhost/trolley
            """)

    @OptionGroup var database: DatabaseOptions

    @OptionGroup var backup: MigrationBackup

    @Flag(help: "Only show which migrations are applied.")
    var status = false

    @OptionGroup var answer: AnswerOptions

    mutating func validate() throws {
        let settings = Settings()
        status = try settings.isOn(status, "status")
    }

    func run() async throws {
        let settings = Settings()
        let logger = Logger(label: "trolleyd", level: .warning)
        try await database.withPool(settings, logger: logger, for: .create) { pool in
            let migrator = Migrator(pool: pool)
            if !status {
                let steps = Logger(label: "trolleyd", level: .notice)
                try await backup.run(settings, on: pool, of: database, logger: steps)
                try await migrator.migrate { progress in steps.notice("\(progress)") }
            }
            let steps = try await migrator.status()
            let backfills = try await migrator.backfills()
            if answer.json {
                let report = Report(
                    steps: steps.map {
                        Report.Step(version: $0.version, name: $0.name, appliedAt: $0.appliedAt?.description)
                    },
                    backfills: backfills.map {
                        Report.Backfill(
                            name: $0.name, lists: $0.lists, ofLists: $0.ofLists, isFinished: $0.isFinished)
                    })
                try printJSON(report)
            } else {
                for step in steps {
                    say("\(step.version)  \(step.name)  \(step.appliedAt.map { "applied \($0)" } ?? "not applied")")
                }
                // The service does them in the background.
                for backfill in backfills where !backfill.isFinished { say("\(backfill)") }
            }
        }
    }

    private struct Report: Encodable {
        struct Step: Encodable {
            let version: Int
            let name: String
            let appliedAt: String?
        }
        struct Backfill: Encodable {
            let name: String
            let lists: Int64
            let ofLists: Int64?
            let isFinished: Bool
        }
        let steps: [Step]
        let backfills: [Backfill]
    }
}
