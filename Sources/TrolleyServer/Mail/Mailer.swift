import Logging
import TrolleyStore
import TrolleyWire

/// Sends mail with the operator's program, a few messages at a time, and stores the last outcome for the operator.
/// Client addresses take turns, so an address that requests much mail only delays itself.
final class Mailer: Sendable {
    private let command: MailCommand
    private let store: Store
    private let metrics: ServiceMetrics
    private let logger: Logger
    /// The programs that run at the same time, of which one client may use half, and the queued messages.
    let gate = FairGate<IPAddress?>(parallel: 8, parallelOfKey: 4, waiting: 64)

    init(_ command: MailCommand, store: Store, metrics: ServiceMetrics, logger: Logger) {
        self.command = command
        self.store = store
        self.metrics = metrics
        self.logger = logger
    }

    /// Sends a message. Returns when the program has accepted it.
    /// - Parameter client: the address of the client that requested it.
    /// - Throws: `Problem` `serviceUnavailable` when the program failed or the queue is full; `StoreError`.
    func send(_ message: MailMessage, from client: IPAddress?) async throws {
        do {
            try await gate.withTurn(of: client?.counted) { try await self.send(message) }
        } catch is FairGate<IPAddress?>.QueueFull {
            throw Problem(.serviceUnavailable, "too much mail is being sent; try again shortly", retryAfter: 5)
        }
    }

    private func send(_ message: MailMessage) async throws {
        do throws(MailFailure) {
            try await command.send(message)
        } catch {
            metrics.count(.mails, [("outcome", "failed")])
            logger.error("mail could not be sent", metadata: ["reason": "\(error)"])
            try await store.noteMailFailed(error.description)
            throw Problem(.serviceUnavailable, "mail can't be sent at the moment; try again later", retryAfter: 60)
        }
        metrics.count(.mails, [("outcome", "sent")])
        try await store.noteMailSent()
    }
}
