import Logging
import Synchronization
import TrolleyStore
import TrolleyWire

/// Sends mail by the operator's program, a few at a time, and keeps for the operator what became of the last.
final class Mailer: Sendable {
    private let command: MailCommand
    private let store: Store
    private let metrics: ServiceMetrics
    private let logger: Logger
    private let running = Mutex(0)

    /// Programs that run at the same time.
    private static let parallel = 8

    init(_ command: MailCommand, store: Store, metrics: ServiceMetrics, logger: Logger) {
        self.command = command
        self.store = store
        self.metrics = metrics
        self.logger = logger
    }

    /// Returns once the program has taken the message.
    /// - Throws: `Problem` `serviceUnavailable`, when it didn't, or too many are on their way; `StoreError`.
    func send(_ message: MailMessage) async throws {
        let isFree = running.withLock { running in
            guard running < Self.parallel else { return false }
            running += 1
            return true
        }
        guard isFree else {
            throw Problem(.serviceUnavailable, "much mail is sent just now; try again shortly", retryAfter: 5)
        }
        defer { running.withLock { $0 -= 1 } }
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
