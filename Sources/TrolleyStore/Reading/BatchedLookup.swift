import Synchronization

/// Sends concurrent questions to the database in one statement. Questions that arrive while all statements are running
/// share the next one; no question waits for others to arrive. Each answer is as fresh as that of a separate statement.
final class BatchedLookup<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    typealias Answers = @Sendable (Set<Question>) async throws(StoreError) -> [Question: Answer]

    private struct Waiting {
        let question: Question
        let continuation: CheckedContinuation<Result<Answer?, StoreError>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    /// The largest number of concurrent statements.
    private let parallel: Int
    /// The largest number of questions in a statement. The answers to all of them stay in memory until each has been
    /// sent.
    private let maxBatchSize: Int
    private let answers: Answers
    private let state = Mutex(State())

    init(parallel: Int = 2, maxBatchSize: Int = 64, answers: @escaping Answers) {
        self.parallel = parallel
        self.maxBatchSize = maxBatchSize
        self.answers = answers
    }

    /// The answer; nil when the database has none.
    func ask(_ question: Question) async throws(StoreError) -> Answer? {
        try await withCheckedContinuation { continuation in
            let isNeeded = state.withLock { state in
                state.waiting.append(Waiting(question: question, continuation: continuation))
                guard state.running < parallel else { return false }
                state.running += 1
                return true
            }
            // Not a child of the caller's task: other questions must not fail when this caller is cancelled.
            if isNeeded { Task { await self.run() } }
        }.get()
    }

    private func run() async {
        while let group = next() {
            do {
                let answers = try await answers(Set(group.map(\.question)))
                for each in group { each.continuation.resume(returning: .success(answers[each.question])) }
            } catch {
                for each in group { each.continuation.resume(returning: .failure(error)) }
            }
        }
    }

    private func next() -> [Waiting]? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.running -= 1
                return nil
            }
            let next = state.waiting.prefix(maxBatchSize)
            state.waiting.removeFirst(next.count)
            return Array(next)
        }
    }
}
