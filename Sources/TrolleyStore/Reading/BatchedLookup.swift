import Synchronization
import TrolleyPostgres

/// Sends concurrent questions to the database in one statement. Questions that arrive while all statements are running
/// share the next one; no question waits for others to arrive. Each answer is as fresh as that of a separate statement.
///
/// Every question ends at its deadline, or when its task is cancelled; then it isn't asked any more. When the database
/// can't be reached, all waiting questions fail at once instead of batch after batch. A question beyond the bound is
/// refused.
final class BatchedLookup<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    typealias Answers = @Sendable (Set<Question>) async throws(StoreError) -> [Question: Answer]
    private typealias Reply = Result<Answer?, StoreError>

    private struct State {
        var queue: LookupQueue<Question, Promise<Reply>>
        /// Whether a task waits for the next deadline.
        var hasTimer = false
    }

    private let answers: Answers
    private let state: Mutex<State>

    /// - Parameters:
    ///   - parallel: the largest number of concurrent statements.
    ///   - maxBatchSize: the largest number of questions in a statement. The answers to all of them stay in memory until
    ///     each has been sent.
    ///   - maxWaiting: the largest number of questions that wait for a statement.
    ///   - timeout: how long a question waits for its answer.
    init(
        parallel: Int = 2, maxBatchSize: Int = 64, maxWaiting: Int = LookupLimits.waiting,
        timeout: Duration = LookupLimits.timeout, answers: @escaping Answers
    ) {
        self.answers = answers
        state = Mutex(
            State(
                queue: LookupQueue(
                    parallel: parallel, batchSize: maxBatchSize, maximum: maxWaiting, timeout: timeout)))
    }

    /// The number of questions that wait for a statement.
    var waiting: Int { state.withLock(\.queue.count) }

    /// The answer; nil when the database has none.
    /// - Throws: `.overloaded` when too many questions wait; `.unavailable` at the deadline, when the task is cancelled, and
    ///   when the database can't be reached; the errors of `answers`.
    func ask(_ question: Question) async throws(StoreError) -> Answer? {
        let promise = Promise<Reply>()
        let (admission, needsTimer) = state.withLock { state in
            let admission = state.queue.enter(question, promise, at: .now)
            let needsTimer = admission != .refused && !state.hasTimer
            if needsTimer { state.hasTimer = true }
            return (admission, needsTimer)
        }
        guard case .waiting(let id, let startsBatch) = admission else { throw .overloaded }
        // Not children of the caller's task: other questions must not fail when this caller is cancelled.
        if startsBatch { Task { await self.run() } }
        if needsTimer { Task { [weak self] in await Self.watch { self } } }
        return try await promise.value {
            let asker = self.state.withLock { $0.queue.remove(id: id) }
            asker?.fulfill(.failure(.cancelledLookup))
        }.get()
    }

    private func run() async {
        while let (number, entries) = state.withLock({ $0.queue.next() }) {
            do {
                let answers = try await answers(Set(entries.map(\.question)))
                for each in state.withLock({ $0.queue.end(number) }) {
                    each.asker.fulfill(.success(answers[each.question]))
                }
            } catch {
                let failed = state.withLock { state in
                    state.queue.end(number) + (error.concernsAllLookups ? state.queue.removeWaiting() : [])
                }
                for each in failed { each.asker.fulfill(.failure(error)) }
            }
        }
    }

    /// Ends questions at their deadlines, until none is left.
    private static func watch(_ lookup: () -> BatchedLookup?) async {
        while let next = lookup()?.endOverdue() {
            do { try await Task.sleep(until: next, clock: .continuous) } catch { return }
        }
    }

    /// - Returns: the next deadline; nil when no question lacks an answer.
    private func endOverdue() -> ContinuousClock.Instant? {
        let (overdue, next) = state.withLock { state in
            let overdue = state.queue.removeOverdue(at: .now)
            let next = state.queue.nextDeadline
            state.hasTimer = next != nil
            return (overdue, next)
        }
        for each in overdue { each.asker.fulfill(.failure(.overdueLookup)) }
        return next
    }
}

/// The bounds of all batched lookups.
enum LookupLimits {
    static let waiting = 8_192
    /// Also the time-out of their statements.
    static let timeout = Duration.seconds(10)
}

extension StoreError {
    fileprivate static var cancelledLookup: StoreError {
        .unavailable(PostgresError(.cancelled, "the request was cancelled"))
    }

    fileprivate static var overdueLookup: StoreError {
        .unavailable(PostgresError(.statementTimedOut, "the database has not answered in time"))
    }

    /// Whether the next statement would fail in the same way: the database can't be reached, or doesn't answer.
    fileprivate var concernsAllLookups: Bool {
        guard case .unavailable(let error) = self else { return false }
        return switch error.kind {
        case .connectionFailed, .connectionLost, .acquireTimedOut, .statementTimedOut, .closed: true
        case .server, .cancelled, .decoding, .misuse, .configuration: false
        }
    }
}
