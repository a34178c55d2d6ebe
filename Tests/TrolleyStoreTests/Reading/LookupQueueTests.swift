import Testing

@testable import TrolleyStore

@Suite("The queue of grouped lookups", .timeLimit(.minutes(20)))
struct LookupQueueTests {
    private typealias Queue = LookupQueue<String, Int>
    private let start = ContinuousClock.now

    private func queue(parallel: Int = 1, batchSize: Int = 2, maximum: Int = 3) -> Queue {
        Queue(parallel: parallel, batchSize: batchSize, maximum: maximum, timeout: .seconds(10))
    }

    @Test("questions wait while batches run, up to a bound")
    func bound() {
        var queue = queue()
        #expect(queue.enter("a", 1, at: start) == .waiting(id: 1, startsBatch: true))
        #expect(queue.next()?.entries.map(\.asker) == [1])
        for asker in 2...4 {
            guard case .waiting(_, startsBatch: false) = queue.enter("b", asker, at: start) else {
                return #expect(Bool(false), "expected to wait")
            }
        }
        #expect(queue.enter("c", 5, at: start) == .refused)
        #expect(queue.next()?.entries.map(\.asker) == [2, 3])
        #expect(queue.next()?.entries.map(\.asker) == [4])
        #expect(queue.next() == nil)
    }

    @Test("a question that is no longer of interest is not asked, and gets no answer")
    func removal() throws {
        var queue = queue()
        _ = queue.enter("a", 1, at: start)
        _ = queue.enter("b", 2, at: start)
        #expect(queue.remove(id: 1) == 1)
        let next = queue.next()
        let batch = try #require(next)
        #expect(batch.entries.map(\.question) == ["b"])
        #expect(queue.remove(id: 2) == 2 && queue.remove(id: 2) == nil)
        #expect(queue.end(batch.number).isEmpty)
    }

    @Test("a question ends at its deadline, whether it waits or runs")
    func deadlines() throws {
        var queue = queue(batchSize: 1)
        #expect(queue.nextDeadline == nil)
        _ = queue.enter("a", 1, at: start)
        let next = queue.next()
        let batch = try #require(next)
        _ = queue.enter("b", 2, at: start + .seconds(1))
        _ = queue.enter("c", 3, at: start + .seconds(5))
        #expect(queue.nextDeadline == start + .seconds(10))
        #expect(queue.removeOverdue(at: start + .seconds(9)).isEmpty)
        #expect(queue.removeOverdue(at: start + .seconds(12)).map(\.asker).sorted() == [1, 2])
        #expect(queue.end(batch.number).isEmpty && queue.count == 1)
        #expect(queue.nextDeadline == start + .seconds(15))
        #expect(queue.removeWaiting().map(\.asker) == [3] && queue.nextDeadline == nil)
    }
}
