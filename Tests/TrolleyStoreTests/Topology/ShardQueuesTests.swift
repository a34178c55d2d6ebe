import Testing
import TrolleyJournal

@testable import TrolleyStore

@Suite("Uploads that wait for their shard's writer", .timeLimit(.minutes(20)))
struct ShardQueuesTests {
    private let lists = (0..<3).map { ListID(UUIDBits(high: 0, low: UInt64($0))) }

    @Test("a shard has one writer, until nothing waits for it")
    func writers() {
        var queues = ShardQueues<String>()
        // The first to come begins a writer.
        let (first, second) = (queues.add("a", to: lists[0], at: 1), queues.add("b", to: lists[1], at: 1))
        #expect(first && !second)
        let elsewhere = queues.add("c", to: lists[2], at: nil)
        #expect(elsewhere, "a list whose shard is unknown has a writer of its own")
        #expect(queues.count == 3)
        let both = queues.take(at: 1) { _ in false }
        #expect(both == ["a", "b"])
        let later = queues.add("d", to: lists[0], at: 1)
        #expect(!later, "its writer is at work")
        let (one, none) = (queues.take(at: 1) { _ in false }, queues.take(at: 1) { _ in false })
        #expect(one == ["d"] && none == [])
        let again = queues.add("e", to: lists[0], at: 1)
        #expect(again, "its writer has ended")
    }

    @Test("a full batch leaves the others, and their lists wait")
    func full() {
        var queues = ShardQueues<String>()
        for (list, upload) in zip(lists, ["a", "b", "c"]) { _ = queues.add(upload, to: list, at: 1) }
        let batch = queues.take(at: 1) { $0.count == 2 }
        #expect(batch == ["a", "b"])
        #expect(lists.map { queues.hasUpload(to: $0) } == [false, false, true])
        #expect(queues.count == 1)
        let rest = queues.take(at: 1) { $0.count == 2 }
        #expect(rest == ["c"])
        #expect(!queues.hasUpload(to: lists[2]))
    }
}
