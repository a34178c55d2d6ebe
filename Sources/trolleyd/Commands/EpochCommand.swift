import ArgumentParser
import Logging
import TrolleyJournal
import TrolleyStore

struct EpochCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "epoch",
        abstract: "Show the database's epoch, or begin a new one after a restore.",
        discussion: """
            In a new epoch every device uploads again the changes that were confirmed in the last 30 days, and fetches \
            its lists again. So a restored service gets back the changes that devices still have. `serve` begins an \
            epoch by itself when the database is in another cluster, on another timeline or restored by pg_restore, \
            and when a device has seen more than the database has. Running services need no restart.

            Example:
              trolleyd epoch --new --database-url postgresql://localhost/trolley
            """)

    @Flag(help: "Begin a new epoch.")
    var new = false

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let logger = Logger(label: "trolleyd", level: .warning)
        let epoch = try await database.withPool(Settings(), logger: logger, for: .inspect) { pool in
            let store = Store(pool: pool)
            let present = try await store.epoch()
            return new ? try await store.beginEpoch(after: present.id, because: .declared) : present
        }
        if answer.json {
            try printJSON(Report(epoch))
        } else {
            say("\(epoch.id) since \(epoch.beganAt): \(epoch.reason.sentence)")
        }
    }

    private struct Report: Encodable {
        let epoch: String
        let since: String
        let reason: String

        init(_ epoch: Epoch) {
            self.epoch = epoch.id.description
            since = epoch.beganAt.description
            reason = epoch.reason.rawValue
        }
    }
}

extension Epoch.Reason {
    fileprivate var sentence: String {
        switch self {
        case .begun: "it began with the database"
        case .declared: "an operator declared it"
        case .otherOrigin: "the database was restored, or its standby promoted"
        case .wentBack: "a device had seen more than the database has"
        }
    }
}
