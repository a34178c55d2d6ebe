import TrolleyClient
import TrolleyJournal
import TrolleySync
import TrolleyWire

extension Device {
    /// Tries to send the latest change for a short while. The change is stored already, so the person need not wait.
    /// The wait is shorter when the service was unreachable lately.
    func syncAfterChange() async throws -> SyncReport {
        let short: Duration = try await ongoingFailure() != nil ? .milliseconds(500) : .seconds(2)
        let limit = Self.patienceOfTests ?? short
        return try await ProgressBar(device: self).during { try await sync(.ownChange, within: limit) }
    }

    /// Tests that are not about the wait let it be long: on a busy machine a service needs longer than a person waits.
    private static var patienceOfTests: Duration? {
        #if SeededFaults
            Terminal.environment("TROLLEY_TEST_PATIENCE").flatMap { Int64($0) }.map { .seconds($0) }
        #else
            nil
        #endif
    }
}
