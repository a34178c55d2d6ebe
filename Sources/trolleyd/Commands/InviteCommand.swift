import ArgumentParser
import Logging
import TrolleyPostgres
import TrolleyServer
import TrolleyStore
import TrolleyWire

struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Create a code that lets one person sign up where registration needs an invitation.",
        discussion: """
            The code is shown once, and works once. People who are invited to a list need no code.

            Example:
              trolleyd invite --email carol@example.com
            """)

    @Option(help: "Only for the person with this address.")
    var email: String?

    @Option(help: "How long the code is valid: 7d, 12h, 30m, 45s. (default: 7d)")
    var expires: Age?

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    mutating func validate() throws {
        let settings = Settings()
        email = try settings.optional(email, "email")
    }

    func run() async throws {
        let settings = Settings()
        let lifetime = try settings.value(expires, "invite.expires", default: Age(days: 7))
        let logger = Logger(label: "trolleyd", level: .warning)
        let code = try await database.withPool(settings, logger: logger, for: .create) { pool in
            try await Migrator(pool: pool).requireSchema()
            return try await SignUpCode.make(for: email, lifetime: lifetime, in: Store(pool: pool))
        }
        if answer.json {
            try printJSON(code)
        } else {
            say(
                """
                \(code.code)

                Until \(code.expiresAt)\(code.email.map { ", for \($0) only" } ?? ""):
                  trolley sign-up ADDRESS --email EMAIL --name NAME --invitation \(code.code)
                """)
        }
    }
}
