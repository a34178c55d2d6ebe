/// The questions of a ``BatchedLookup``. It decides which questions run, and which get no answer; it uses no clock.
///
/// Each question has a deadline, in the order of arrival. The number of questions that have no answer yet is bounded.
struct LookupQueue<Question: Hashable & Sendable, Asker: Sendable>: Sendable {
    struct Entry: Sendable {
        let id: Int
        let question: Question
        let asker: Asker
        let deadline: ContinuousClock.Instant
    }

    enum Admission: Equatable {
        /// The question waits. `startsBatch`: the caller must run another batch; it is counted from here on.
        case waiting(id: Int, startsBatch: Bool)
        /// There are too many questions.
        case refused
    }

    private let parallel: Int
    private let batchSize: Int
    private let maximum: Int
    private let timeout: Duration
    /// Oldest first, also across `waiting` and each batch.
    private var waiting: [Entry] = []
    private var batches: [Int: [Entry]] = [:]
    private var running = 0
    private var lastID = 0

    /// - Parameters:
    ///   - parallel: the largest number of concurrent batches.
    ///   - batchSize: the largest number of questions in a batch.
    ///   - maximum: the largest number of questions that wait.
    ///   - timeout: how long a question waits for its answer.
    init(parallel: Int, batchSize: Int, maximum: Int, timeout: Duration) {
        self.parallel = parallel
        self.batchSize = batchSize
        self.maximum = maximum
        self.timeout = timeout
    }

    /// Questions that wait for a batch.
    var count: Int { waiting.count }

    mutating func enter(_ question: Question, _ asker: Asker, at now: ContinuousClock.Instant) -> Admission {
        guard waiting.count < maximum else { return .refused }
        lastID += 1
        waiting.append(Entry(id: lastID, question: question, asker: asker, deadline: now + timeout))
        guard running < parallel else { return .waiting(id: lastID, startsBatch: false) }
        running += 1
        return .waiting(id: lastID, startsBatch: true)
    }

    /// The next batch of a caller that runs batches; nil: the caller must stop.
    mutating func next() -> (number: Int, entries: [Entry])? {
        if waiting.isEmpty {
            running -= 1
            return nil
        }
        let batch = Array(waiting.prefix(batchSize))
        waiting.removeFirst(batch.count)
        lastID += 1
        batches[lastID] = batch
        return (lastID, batch)
    }

    /// Ends a batch.
    /// - Returns: those of its questions that still have no answer.
    mutating func end(_ number: Int) -> [Entry] { batches.removeValue(forKey: number) ?? [] }

    /// Removes a question that is no longer of interest. Returns nil when it has been answered.
    mutating func remove(id: Int) -> Asker? {
        if let index = waiting.firstIndex(where: { $0.id == id }) { return waiting.remove(at: index).asker }
        for (number, batch) in batches {
            guard let index = batch.firstIndex(where: { $0.id == id }) else { continue }
            return batches[number]?.remove(at: index).asker
        }
        return nil
    }

    /// Removes all questions that wait for a batch.
    mutating func removeWaiting() -> [Entry] {
        defer { waiting = [] }
        return waiting
    }

    /// Removes the questions whose deadline has passed.
    mutating func removeOverdue(at now: ContinuousClock.Instant) -> [Entry] {
        let count = waiting.firstIndex { $0.deadline > now } ?? waiting.count
        var overdue = Array(waiting.prefix(count))
        waiting.removeFirst(count)
        for (number, batch) in batches {
            overdue += batch.filter { $0.deadline <= now }
            batches[number] = batch.filter { $0.deadline > now }
        }
        return overdue
    }

    /// The next deadline; nil when no question lacks an answer.
    var nextDeadline: ContinuousClock.Instant? {
        let first = batches.values.flatMap { $0.map(\.deadline) } + (waiting.first.map { [$0.deadline] } ?? [])
        return first.min()
    }
}
