import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension Device {
    /// Tries to send the latest change for a short while. The change is stored already, so the person need not wait.
    /// The wait is shorter when the service was unreachable lately.
    func syncAfterChange() async throws -> SyncReport {
        let limit: Duration = try await ongoingFailure() != nil ? .milliseconds(500) : .seconds(2)
        return try await ProgressBar(device: self).during { try await sync(.ownChange, within: limit) }
    }
}
