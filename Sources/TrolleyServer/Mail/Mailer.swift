import Logging
import TrolleyStore
import TrolleyWire

/// Sends mail by the operator's program, a few at a time, and keeps for the operator what became of the last. The addresses
/// that ask for mail take turns: one that asks for much waits behind itself.
final class Mailer: Sendable {
    private let command: MailCommand
    private let store: Store
    private let metrics: ServiceMetrics
    private let logger: Logger
    /// Programs that run at the same time, of which one client never takes all, and messages that wait for one.
    let gate = FairGate<IPAddress?>(parallel: 8, parallelOfKey: 4, waiting: 64)

    init(_ command: MailCommand, store: Store, metrics: ServiceMetrics, logger: Logger) {
        self.command = command
        self.store = store
        self.metrics = metrics
        self.logger = logger
    }

    /// Returns once the program has taken the message.
    /// - Parameter client: who asked for it.
    /// - Throws: `Problem` `serviceUnavailable`, when it didn't, or too many wait; `StoreError`.
    func send(_ message: MailMessage, from client: IPAddress?) async throws {
        do {
            try await gate.withTurn(of: client?.counted) { try await self.send(message) }
        } catch is FairGate<IPAddress?>.Crowded {
            throw Problem(.serviceUnavailable, "much mail is sent just now; try again shortly", retryAfter: 5)
        }
    }

    private func send(_ message: MailMessage) async throws {
        do throws(MailFailure) {
            try await command.send(message)
        } catch {
            metrics.count(.mails, [("outcome", "failed")])
            logger.error("mail could not be sent", metadata: ["reason": "\(error)"])
            try await store.noteMailFailed(error.description)
            throw Problem(.serviceUnavailable, "mail can't be sent just now; try again later", retryAfter: 60)
        }
        metrics.count(.mails, [("outcome", "sent")])
        try await store.noteMailSent()
    }
}
