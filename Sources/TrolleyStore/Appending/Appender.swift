import Synchronization
import TrolleyJournal
import TrolleyPostgres
import TrolleyWire

/// Appends uploads that wait at the same time in one transaction, so that they share its commit (group commit).
///
/// A few writers take the waiting uploads, at most one for each list, and come back for those that have arrived
/// meanwhile. No writer waits for a batch to fill. Some uploads can't be batched and go alone, beside the writers: an
/// upload whose list is locked elsewhere, one that needs a separate check, and each upload of a batch that the database
/// refused or that timed out, so that one bad upload harms no other. Lists share no lock: an upload to a free list never waits for a
/// locked one. On a Citus cluster, uploads to lists of one shard share a transaction, on the shard's node.
final class Appender: Sendable {
    struct Options {
        var writers = 2
        /// While writers are at work, another one starts only for this many waiting entries. Fewer wait for the next
        /// batch, which costs less.
        var entriesPerWriter = 64
        /// Maximum uploads in one transaction.
        var uploadsPerBatch = 64
        var entriesPerBatch = 2_000
        /// Maximum queued uploads per list; beyond it the answer is `zoneBusy`. Otherwise a busy list would fill the
        /// memory.
        var waitingPerList = 256
        /// Uploads of a batch that timed out: how many are tried at the same time, and how many may time out before the
        /// others fail.
        var parallelAfterTimeOut = 4
        var timeOutsPerBatch = 4
    }

    struct Statistics: Hashable {
        var waiting = 0
        /// Transactions, each of one or several uploads, and the uploads in them.
        var transactions = 0
        var batched = 0
        /// Uploads that were appended in a transaction of their own.
        var single = 0
    }

    private struct Waiting {
        let upload: PendingUpload
        let continuation: CheckedContinuation<Result<Appended, StoreError>, Never>
    }

    /// An element of a list's queue.
    private enum Place {
        case upload(Waiting)
        /// Another operation on the list; resumes with whether it is its turn.
        case turn(CheckedContinuation<Bool, Never>)

        /// The number of entries that it adds to a batch.
        var entries: Int { if case .upload(let waiting) = self { waiting.upload.upload.items.count } else { 1 } }
    }

    private struct State {
        var queues = KeyedQueues<ListID, Place>()
        /// The number of waiting entries.
        var entries = 0
        var writers = 0
        /// The uploads that wait for the writer of their shard, where lists are on several nodes.
        var shards = ShardQueues<Waiting>()
        /// The lists whose uploads go alone for a while, because one timed out.
        var slow = SlowLists()
        var statistics = Statistics()
    }

    private let pool: Pool
    private let topology: Topology
    private let known = KnownLists()
    private let options: Options
    private let state = Mutex(State())

    init(_ pool: Pool, _ topology: Topology, options: Options = Options()) {
        self.pool = pool
        self.topology = topology
        self.options = options
    }

    var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.waiting = state.queues.count + state.shards.count
            return statistics
        }
    }

    func append(_ upload: PendingUpload) async throws(StoreError) -> Appended {
        let result = await withCheckedContinuation { continuation in
            let isNeeded: Bool? = state.withLock { state in
                let before = state.queues.count(in: upload.list) + (state.shards.hasUpload(to: upload.list) ? 1 : 0)
                guard before < options.waitingPerList else { return nil }
                state.queues.add(.upload(Waiting(upload: upload, continuation: continuation)), to: upload.list)
                state.entries += upload.upload.items.count
                return isWriterNeeded(&state)
            }
            switch isNeeded {
            case nil: continuation.resume(returning: .failure(.busy))
            // Not a child of the caller's task: other uploads must not fail when this caller is cancelled.
            case true?: Task { await self.write() }
            case false?: break
            }
        }
        return try result.get()
    }

    /// Whether a new writer must start. If so, it is counted from here on.
    private func isWriterNeeded(_ state: inout State) -> Bool {
        guard state.writers == 0 || state.writers < options.writers && state.entries >= options.entriesPerWriter else {
            return false
        }
        state.writers += 1
        return true
    }

    /// One writer: runs until no upload waits.
    private func write() async {
        while let batch = nextBatch() { await append(batch) }
    }

    private func nextBatch() -> [Place]? {
        state.withLock { state in
            var (uploads, entries) = (0, 0)
            let batch = state.queues.take { taken in
                uploads += 1
                entries += taken.entries
                return isFull(uploads, entries)
            }
            state.entries -= entries
            if !batch.isEmpty { return batch }
            state.writers -= 1
            return nil
        }
    }

    private func isFull(_ uploads: Int, _ entries: Int) -> Bool {
        uploads >= options.uploadsPerBatch || entries >= options.entriesPerBatch
    }

    private func append(_ places: [Place]) async {
        var batch: [Waiting] = []
        for place in places {
            switch place {
            case .upload(let waiting): batch.append(waiting)
            case .turn(let continuation): continuation.resume(returning: true)
            }
        }
        let slow = state.withLock { $0.slow.lists(at: .now) }
        if !slow.isEmpty {
            let alone = batch.filter { slow.contains($0.upload.list) }
            batch.removeAll { slow.contains($0.upload.list) }
            state.withLock { $0.statistics.single += alone.count }
            for waiting in alone { Task { await self.appendSingle(waiting) } }
        }
        if batch.isEmpty { return }
        do throws(StoreError) {
            if try await topology.isDistributed() {
                enqueue(batch, at: try await topology.shards(of: Set(batch.map(\.upload.list))))
            } else {
                let uploads = batch.map(\.upload)
                answer(
                    batch,
                    with: await outcomes(of: uploads) {
                        try await pool.withConnection(for: .append) { try await $0.appendBatch(uploads) }
                    })
            }
        } catch { answer(batch, with: Outcomes(batch.map { _ in .failure(error) })) }
    }

    /// Answers the uploads of a batch; those without an outcome go alone.
    private func answer(_ batch: [Waiting], with result: Outcomes) {
        let outcomes = result.each
        let alone = zip(batch, outcomes).compactMap { $1 == nil ? $0 : nil }
        state.withLock { state in
            state.statistics.transactions += 1
            state.statistics.batched += batch.count - alone.count
            state.statistics.single += alone.count
            for (waiting, outcome) in zip(batch, outcomes) where outcome != nil {
                state.queues.finish(waiting.upload.list)
            }
        }
        for (waiting, outcome) in zip(batch, outcomes) {
            if let outcome { waiting.continuation.resume(returning: outcome) }
        }
        if result.haveTimedOut {
            Task { await self.appendOneByOne(alone) }
        } else {
            for waiting in alone { Task { await self.appendSingle(waiting) } }
        }
    }

    /// Tries the uploads of a batch that timed out, a few at a time. If several of them time out, too, the database is slow,
    /// not one upload: then the others fail, so that they don't hold connections in turn.
    private func appendOneByOne(_ batch: [Waiting]) async {
        var rest = batch[...]
        var timeOuts = 0
        await withTaskGroup(of: Bool.self) { group in
            func start() {
                guard timeOuts < options.timeOutsPerBatch, let next = rest.popFirst() else { return }
                group.addTask { await self.appendSingle(next) }
            }
            for _ in 0..<options.parallelAfterTimeOut { start() }
            for await hasTimedOut in group {
                if hasTimedOut { timeOuts += 1 }
                start()
            }
        }
        let error = PostgresError(.statementTimedOut, "other uploads of the same batch timed out")
        for waiting in rest { await finish(waiting, .failure(StoreError(any: error))) }
    }

    // MARK: Batches

    /// The result of one upload; nil: it needs a separate check, or another upload of its batch was refused.
    private typealias Outcome = Result<Appended, StoreError>?

    /// The results of a batch.
    private struct Outcomes {
        let each: [Outcome]
        /// Whether the batch timed out: then no upload has a result.
        var haveTimedOut = false

        init(_ each: [Outcome], haveTimedOut: Bool = false) {
            self.each = each
            self.haveTimedOut = haveTimedOut
        }
    }

    /// Passes uploads on to the writers of their shards, so that uploads to an unreachable node delay no others.
    private func enqueue(_ batch: [Waiting], at shards: [ListID: Topology.Shard]) {
        let starting = state.withLock { state in
            var starting: [Topology.Shard?] = []
            for waiting in batch {
                let list = waiting.upload.list
                let shard = shards[list]
                if state.shards.add(waiting, to: list, at: shard) { starting.append(shard) }
            }
            return starting
        }
        for shard in starting { Task { await self.write(to: shard) } }
    }

    /// The writer of a shard: runs until no upload waits for the shard. Uploads that arrive meanwhile share the next
    /// transaction.
    private func write(to shard: Topology.Shard?) async {
        while let batch = nextBatch(for: shard) {
            let uploads = batch.map(\.upload)
            answer(batch, with: await outcomes(of: uploads) { try await self.append(uploads, at: shard) })
            // Other uploads to these lists may have arrived while all writers were idle.
            if state.withLock({ $0.queues.count > 0 && isWriterNeeded(&$0) }) { await write() }
        }
    }

    private func nextBatch(for shard: Topology.Shard?) -> [Waiting]? {
        state.withLock { state in
            let batch = state.shards.take(at: shard) { taken in
                isFull(taken.count, taken.reduce(0) { $0 + $1.upload.upload.items.count })
            }
            return batch.isEmpty ? nil : batch
        }
    }

    private func append(_ uploads: [PendingUpload], at shard: Topology.Shard?) async throws -> [Appended?] {
        let known = known.known(to: uploads)
        do {
            let appended = try await topology.onNode(of: shard) { pool, isOnNode in
                try await pool.withConnection(for: .append) {
                    try await $0.appendInShard(uploads, known: known, isOnNode: isOnNode)
                }
            }
            self.known.note(uploads, appended)
            return appended.map { $0?.appended }
        } catch {
            self.known.forget(uploads)
            throw error
        }
    }

    /// Turns a refusal by the database into nil for each upload, so that each is tried alone.
    private func outcomes(of uploads: [PendingUpload], _ append: () async throws -> [Appended?]) async -> Outcomes {
        do {
            return Outcomes(try await append().map { $0.map { .success($0) } })
        } catch let error as PostgresError
            where error.kind == .decoding
            || error.kind == .server && (!error.isNodeAway || error.sqlState == .internalError)
        {
            // A list may have moved to another shard.
            if error.sqlState == .featureNotSupported { topology.forgetShards() }
            // Also an internal error, which may be due to one upload as well as to a node (`isNodeAway`).
            return Outcomes(uploads.map { _ in nil })
        } catch let error as PostgresError where error.kind == .statementTimedOut {
            // An upload that was stored all the same is a duplicate then.
            return Outcomes(uploads.map { _ in nil }, haveTimedOut: true)
        } catch {
            return Outcomes(uploads.map { _ in .failure(StoreError(any: error)) })
        }
    }

    // MARK: Single uploads

    /// - Returns: whether the upload timed out.
    @discardableResult
    private func appendSingle(_ waiting: Waiting) async -> Bool {
        let outcome: Result<Appended, StoreError>
        var hasTimedOut = false
        do {
            outcome = .success(try await appendSingle(waiting.upload))
        } catch {
            hasTimedOut = (error as? PostgresError)?.kind == .statementTimedOut
            outcome = .failure(StoreError(any: error))
        }
        state.withLock { $0.slow.note(waiting.upload.list, isSlow: hasTimedOut, at: .now) }
        await finish(waiting, outcome)
        return hasTimedOut
    }

    /// Answers an upload that went alone.
    private func finish(_ waiting: Waiting, _ outcome: Result<Appended, StoreError>) async {
        var behind: [Place] = []
        if case .failure(.busy) = outcome {
            // Another transaction holds the list for long, so the uploads queued behind this one would only time out in
            // turn.
            behind = state.withLock { state in
                let behind = state.queues.empty(waiting.upload.list)
                for place in behind { state.entries -= place.entries }
                return behind
            }
        }
        for place in behind {
            switch place {
            case .upload(let waiting): waiting.continuation.resume(returning: outcome)
            case .turn(let continuation): continuation.resume(returning: false)
            }
        }
        let isNeeded = state.withLock { state in
            state.queues.finish(waiting.upload.list)
            // Other uploads to this list may have arrived while all writers were idle.
            return state.queues.count > 0 && isWriterNeeded(&state)
        }
        waiting.continuation.resume(returning: outcome)
        if isNeeded { await write() }
    }

    /// Most uploads that go alone find their list free. Only those that don't wait with the contended ones.
    private func appendSingle(_ upload: PendingUpload) async throws -> Appended {
        do { return try await appendSingle(upload, for: .append) } catch let error as PostgresError
            where error.sqlState == .lockNotAvailable
        {
            return try await appendSingle(upload, for: .contendedAppend)
        }
    }

    private func appendSingle(_ upload: PendingUpload, for use: LeaseClass) async throws -> Appended {
        let lockWait = use == .append ? ListSQL.waitBriefly : ListSQL.limitLockWait
        func append(_ upload: PendingUpload) async throws -> Appended {
            try await pool.withTransaction(for: use, opening: upload.readsToAppend(lockWait)) {
                try await $0.appendSingle(upload, $1)
            }
        }
        do { return try await append(upload) } catch let error as PostgresError
            where error.isNodeAway && error.statement == AppendSQL.bytesOfOwner.name
        {
            // Another list of the owner is on an unreachable node, so its bytes can't be counted; this list is
            // available.
            return try await append(upload.withoutAccountQuota)
        }
    }

    // MARK: Other operations

    /// Runs `body` when it is its turn in the list's queue. This process appends nothing to the list meanwhile.
    /// - Throws: `StoreError.busy`, when too many wait for the list; the errors of `body`.
    func inLane<Value>(of list: ListID, _ body: () async throws -> Value) async throws -> Value {
        guard await takeTurn(in: list) else { throw StoreError.busy }
        defer {
            let isNeeded = state.withLock { state in
                state.queues.finish(list)
                return state.queues.count > 0 && isWriterNeeded(&state)
            }
            if isNeeded { Task { await self.write() } }
        }
        return try await body()
    }

    private func takeTurn(in list: ListID) async -> Bool {
        await withCheckedContinuation { continuation in
            let (told, isNeeded): (Bool?, Bool) = state.withLock { state in
                if state.queues.occupy(list) { return (true, false) }
                guard state.queues.count(in: list) < options.waitingPerList else { return (false, false) }
                let place = Place.turn(continuation)
                state.queues.add(place, to: list)
                state.entries += place.entries
                return (nil, isWriterNeeded(&state))
            }
            if let told { continuation.resume(returning: told) }
            if isNeeded { Task { await self.write() } }
        }
    }
}
