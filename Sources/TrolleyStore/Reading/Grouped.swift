import Synchronization

/// Puts questions that are asked at the same time to the database in one statement. Who asks while all statements are on
/// their way goes with the next; nobody waits for others to come. Each answer is as fresh as one that was asked alone.
final class Grouped<Question: Hashable & Sendable, Answer: Sendable>: Sendable {
    typealias Answers = @Sendable (Set<Question>) async throws(StoreError) -> [Question: Answer]

    private struct Waiting {
        let question: Question
        let continuation: CheckedContinuation<Result<Answer?, StoreError>, Never>
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    /// How many statements may be on their way at the same time.
    private let parallel: Int
    /// How many questions go together at the most: the answers to all of them are in memory until each has been sent.
    private let most: Int
    private let answers: Answers
    private let state = Mutex(State())

    init(parallel: Int = 2, most: Int = 64, answers: @escaping Answers) {
        self.parallel = parallel
        self.most = most
        self.answers = answers
    }

    /// The answer; nil when the database has none to this question.
    func ask(_ question: Question) async throws(StoreError) -> Answer? {
        try await withCheckedContinuation { continuation in
            let isNeeded = state.withLock { state in
                state.waiting.append(Waiting(question: question, continuation: continuation))
                guard state.running < parallel else { return false }
                state.running += 1
                return true
            }
            // Not the caller's child: what others wait for must not end when this caller goes away.
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
            let next = state.waiting.prefix(most)
            state.waiting.removeFirst(next.count)
            return Array(next)
        }
    }
}
