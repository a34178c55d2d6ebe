import ArgumentParser
import Logging
import TrolleyServer
import TrolleyStore
import TrolleyWire

struct ResetPasswordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-password",
        abstract: "Create a code that lets a person who has forgotten their password set a new one.",
        discussion: """
            The code is shown once, and works once. Give it only to the account's person. When they use it, their
            devices are signed out; until then nothing changes.

            Example:
              trolleyd reset-password carol@example.com
            """)

    @Argument(help: "The account's email.")
    var account: String

    @Option(help: "How long the code is valid: 2d, 12h, 30m, 45s. (default: 1h)")
    var validFor: Age?

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    func run() async throws {
        let settings = Settings()
        let lifetime = try settings.value(validFor, "reset.valid.for", default: Age(milliseconds: 3_600_000))
        let logger = Logger(label: "trolleyd", level: .warning)
        let code = try await database.withPool(settings, logger: logger, for: .inspect) { pool in
            try await Migrator(pool: pool).requireSchema()
            let store = Store(pool: pool)
            let found = try await store.account(store.account(named: account))
            return try await PasswordResetCode.make(for: found, lifetime: lifetime, in: store)
        }
        if answer.json {
            try printJSON(code)
        } else {
            say(
                """
                \(code.code)

                Until \(code.expiresAt), for \(code.email) only:
                  trolley password --server ADDRESS --email \(code.email) --code \(code.code)
                """)
        }
    }
}
