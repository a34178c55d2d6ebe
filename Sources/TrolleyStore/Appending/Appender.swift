import Synchronization
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// Appends the uploads that wait at the same time in one transaction, so that they share its commit (group commit).
///
/// A few writers take what waits, at most one upload a list, and come back for what came meanwhile; nobody waits for a
/// batch to fill. What can't be done together goes alone, beside the writers: an upload whose list is held elsewhere, one
/// that needs a closer look, and each of a batch that the database refused, so that one refused upload harms no other.
/// Lists share no lock: whose list is free never waits for one that isn't.
final class Appender: Sendable {
    struct Options {
        var writers = 2
        /// Of what waits while all writers are at work, so much is worth another one. Less goes together with what comes
        /// meanwhile, which costs less.
        var entriesPerWriter = 64
        /// In one transaction at the most.
        var uploadsTogether = 64
        var entriesTogether = 2_000
        /// Who comes when so many wait for one list is told to come again: else a busy list would fill the memory.
        var waitingPerList = 256
    }

    struct Statistics: Hashable {
        var waiting = 0
        /// Transactions of several uploads or one, and the uploads in them.
        var transactions = 0
        var together = 0
        /// Uploads that went alone.
        var alone = 0
    }

    private struct Waiting {
        let upload: PendingUpload
        let continuation: CheckedContinuation<Result<Appended, StoreError>, Never>
    }

    private struct State {
        var lanes = Lanes<ListID, Waiting>()
        /// Of those that wait.
        var entries = 0
        var writers = 0
        /// False once the database has said that it can't lock several lists' rows in one statement (Citus).
        var isTogetherPossible = true
        var statistics = Statistics()
    }

    private let pool: Pool
    private let options: Options
    private let state = Mutex(State())

    init(_ pool: Pool, options: Options = Options()) {
        self.pool = pool
        self.options = options
    }

    var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.lanes.count
            return statistics
        }
    }

    func append(_ upload: PendingUpload) async throws(StoreError) -> Appended {
        let result = await withCheckedContinuation { continuation in
            let isNeeded: Bool? = state.withLock { state in
                guard state.lanes.count(in: upload.list) < options.waitingPerList else { return nil }
                state.lanes.add(Waiting(upload: upload, continuation: continuation), to: upload.list)
                state.entries += upload.upload.items.count
                return isWriterNeeded(&state)
            }
            switch isNeeded {
            case nil: continuation.resume(returning: .failure(.busy))
            // Not the caller's child: what others wait for must not end when this caller goes away.
            case true?: Task { await self.write() }
            case false?: break
            }
        }
        return try result.get()
    }

    /// Whether somebody must begin to write; that one is counted then.
    private func isWriterNeeded(_ state: inout State) -> Bool {
        guard state.writers == 0 || state.writers < options.writers && state.entries >= options.entriesPerWriter else {
            return false
        }
        state.writers += 1
        return true
    }

    /// One writer: works until nobody waits.
    private func write() async {
        while let batch = nextBatch() { await append(batch) }
    }

    private func nextBatch() -> [Waiting]? {
        state.withLock { state in
            var (uploads, entries) = (0, 0)
            let batch = state.lanes.take { taken in
                uploads += 1
                entries += taken.upload.upload.items.count
                return uploads >= options.uploadsTogether || entries >= options.entriesTogether
            }
            state.entries -= entries
            if !batch.isEmpty { return batch }
            state.writers -= 1
            return nil
        }
    }

    private func append(_ batch: [Waiting]) async {
        let outcomes: [Result<Appended, StoreError>?]
        do {
            let appended =
                state.withLock(\.isTogetherPossible)
                ? try await pool.withConnection { try await $0.appendAtOnce(batch.map(\.upload)) }
                : batch.map { _ in nil }
            outcomes = appended.map { $0.map { .success($0) } }
        } catch let error as PostgresError where error.kind == .server || error.kind == .decoding {
            if error.sqlState == .featureNotSupported, error.statement == AppendSQL.atOnce.name {
                state.withLock { $0.isTogetherPossible = false }
            }
            outcomes = batch.map { _ in nil }
        } catch {
            outcomes = batch.map { _ in .failure(StoreError(any: error)) }
        }
        let alone = zip(batch, outcomes).compactMap { $1 == nil ? $0 : nil }
        state.withLock { state in
            state.statistics.transactions += 1
            state.statistics.together += batch.count - alone.count
            state.statistics.alone += alone.count
            for (waiting, outcome) in zip(batch, outcomes) where outcome != nil {
                state.lanes.finish(waiting.upload.list)
            }
        }
        for (waiting, outcome) in zip(batch, outcomes) {
            if let outcome { waiting.continuation.resume(returning: outcome) }
        }
        for waiting in alone { Task { await self.appendAlone(waiting) } }
    }

    private func appendAlone(_ waiting: Waiting) async {
        let outcome: Result<Appended, StoreError>
        do {
            outcome = .success(try await pool.withTransaction { try await $0.append(waiting.upload) })
        } catch {
            outcome = .failure(StoreError(any: error))
        }
        var behind: [Waiting] = []
        if case .failure(.busy) = outcome {
            // Somebody else holds the list for long: who waits behind would only find that out one after the other.
            behind = state.withLock { state in
                let behind = state.lanes.empty(waiting.upload.list)
                for waiting in behind { state.entries -= waiting.upload.upload.items.count }
                return behind
            }
        }
        for waiting in behind { waiting.continuation.resume(returning: outcome) }
        let isNeeded = state.withLock { state in
            state.lanes.finish(waiting.upload.list)
            // Others may have come to this list while all writers were at rest.
            return state.lanes.count > 0 && isWriterNeeded(&state)
        }
        waiting.continuation.resume(returning: outcome)
        if isNeeded { await write() }
    }
}
