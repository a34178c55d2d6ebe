import ArgumentParser
import Logging
import TrolleyJournal
import TrolleyStore
import TrolleyWire

struct AccountsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: """
            List the accounts, sign a person out everywhere, verify an address, choose who sees the operator's page, or \
            delete an account.
            """,
        discussion: """
            Each list of a deleted account goes to the participant with write permission who joined first. A list
            without such a participant ends.

            Example:
              trolleyd accounts
              trolleyd accounts --sign-out carol@example.com
              trolleyd accounts --verify carol@example.com
              trolleyd accounts --operator carol@example.com
              trolleyd accounts --delete carol@example.com --yes
            """)

    @Option(help: "End all sessions of the account with this address.")
    var signOut: String?

    @Option(help: "Confirm that the address belongs to the person of this account. No other account can then claim it.")
    var verify: String?

    @Option(help: "Let the account with this address see the operator's page of the web app.")
    var `operator`: String?

    @Option(help: "No longer let the account with this address see the operator's page.")
    var noOperator: String?

    @Option(help: "Delete the account with this address permanently; needs --yes.")
    var delete: String?

    @Flag(help: "Confirm the deletion.")
    var yes = false

    @OptionGroup var answer: AnswerOptions
    @OptionGroup var database: DatabaseOptions

    private static let page = 1000

    func validate() throws {
        if [signOut, verify, `operator`, noOperator, delete].compactMap(\.self).count > 1 {
            throw ValidationError("Give only one of --sign-out, --verify, --operator, --no-operator and --delete.")
        }
        if delete != nil, !yes {
            throw ValidationError("Deleting an account is permanent. To confirm: --delete EMAIL --yes")
        }
        if yes, delete == nil { throw ValidationError("--yes needs --delete.") }
    }

    func run() async throws {
        let settings = Settings()
        let logger = Logger(label: "trolleyd", level: .warning)
        try await database.withPool(settings, logger: logger, for: .inspect, isRepeatable: false) { pool in
            try await Migrator(pool: pool).requireSchema()
            let store = Store(pool: pool)
            if let signOut {
                let account = try await store.account(named: signOut)
                // In a copy that was just restored, devices that know more must not give up their lists.
                _ = try await store.checkEpoch()
                let ended = try await store.signOutEverywhere(account).count
                try show(Report(account: account, sessionsEnded: ended)) {
                    "\(count(ended, "session")) of \(signOut) ended"
                }
            } else if let verify {
                let account = try await store.account(named: verify)
                try await store.verifyEmail(of: account)
                try show(Report(account: account, emailVerified: true)) { "\(verify) is verified" }
            } else if let email = `operator` ?? noOperator {
                let account = try await store.account(named: email)
                let isOperator = `operator` != nil
                try await store.setOperator(account, isOperator)
                try show(Report(account: account, operator: isOperator)) {
                    isOperator
                        ? "\(email) sees the operator's page: in the web app's account, \"This service\""
                        : "\(email) no longer sees the operator's page"
                }
            } else if let delete {
                let account = try await store.account(named: delete)
                try await store.deleteAccount(account)
                try show(Report(account: account, deleted: true)) { "The account of \(delete) is deleted" }
            } else {
                try await show(store)
            }
        }
    }

    private func show(_ store: Store) async throws {
        var accounts: [AccountOverview] = []
        var page: [AccountOverview]
        repeat {
            page = try await store.accounts(after: accounts.last?.id, limit: Self.page)
            accounts += page
        } while page.count == Self.page
        try show(Accounts(accounts: accounts)) {
            (accounts.map(\.line) + [count(accounts.count, "account")]).joined(separator: "\n")
        }
    }

    private func show(_ report: some Encodable, _ text: () -> String) throws {
        if answer.json { try printJSON(report) } else { say(text()) }
    }

    private struct Accounts: Encodable {
        let accounts: [AccountOverview]
    }

    private struct Report: Encodable {
        let account: AccountID
        var sessionsEnded: Int?
        var deleted: Bool?
        var emailVerified: Bool?
        var `operator`: Bool?
    }
}

extension AccountOverview {
    fileprivate var line: String {
        let seen = lastSeenAt.map { ", last seen \($0)" } ?? ""
        let what = "\(count(Int(lists), "list")), \(count(Int(devices), "device"))"
        let marks = "\(emailVerified ? "" : " (not verified)")\(`operator` ? " (operator)" : "")"
        return "\(email.inOneLine)\(marks)  \(name.inOneLine), since \(createdAt): \(what)\(seen)"
    }
}
