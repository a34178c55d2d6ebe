package import TrolleyJournal
import TrolleyPostgres
package import TrolleySync
package import TrolleyWire

// Storing the result of a fetch, list by list.

extension HostedQueueStore {
    /// Stores each list in a transaction of its own. A list that can't be stored stays as it was, and doesn't hold the
    /// others up (``FetchOutcome/unstored``).
    /// - Throws: when the reason isn't the list's: the database is away, for instance. The lists before it are stored.
    package func receive(_ response: AllChangesResponse, at now: Timestamp) async throws(QueueStoreError)
        -> FetchOutcome
    {
        var fetchOutcome = FetchOutcome()
        for list in response.lists {
            if let (plan, isNew) = try await storing(list.id, { try await $0.receive(list, at: now) }) {
                fetchOutcome.note(list.page, stored: plan, isNew: isNew)
            } else {
                fetchOutcome.unstored.append(list.id)
                // From now on the device has the list, although without its content. Otherwise nothing would show that the
                // list failed.
                _ = try await run([.execute(HostedQueueSQL.insertList, [device, list.id, true])])
            }
        }
        // These lists are in the service's own database and are restored with it, so the service can't have lost one.
        var response = response
        response.unknown = []
        for (list, end) in response.ends {
            if let ended = try await storing(list, { try await $0.receive(end, of: list, at: now) }) {
                if let step = ended.step { fetchOutcome.note(end, step, keptAside: ended.keptAside) }
            } else {
                fetchOutcome.unstored.append(list)
            }
        }
        _ = try await run([HostedTransaction.forgettingRetired(of: device, at: now)])
        return fetchOutcome
    }

    /// Runs `body`, which stores a list, in a transaction.
    /// - Returns: nil when this list can't be stored. Then nothing of it was.
    private func storing<Value>(
        _ list: ListID, _ body: (HostedTransaction) async throws -> Value
    ) async throws(QueueStoreError) -> Value? {
        do { return try await untypedTransaction(body) } catch {
            guard Self.concernsOneList(error) else { throw QueueStoreError(error) }
            onUnstored(list, QueueStoreError(error))
            return nil
        }
    }

    /// Whether other lists can be stored all the same: this one takes too much memory or time, or the database or this code
    /// can't take its content.
    private static func concernsOneList(_ error: any Error) -> Bool {
        switch error {
        case StoreError.tooLong, StoreError.overloaded: true
        case is WireError: true
        case let error as PostgresError:
            switch error.kind {
            case .decoding, .statementTimedOut: true
            case .server: !error.isTransient
            case .connectionFailed, .connectionLost, .acquireTimedOut, .cancelled, .misuse, .closed, .configuration:
                false
            }
        default: false
        }
    }
}
