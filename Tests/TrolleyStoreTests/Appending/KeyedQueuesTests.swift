import Testing

@testable import TrolleyStore

@Suite("Keyed queues", .timeLimit(.minutes(20)))
struct KeyedQueuesTests {
    private var queues = KeyedQueues<String, Int>()

    @Test("lanes take turns, and those in one lane are served in the order of their coming")
    mutating func turns() {
        for element in 1...3 { queues.add(element, to: "a") }
        queues.add(10, to: "b")
        #expect(queues.count == 4)
        #expect(queues.take(5) == [1, 10])
        queues.finish("a")
        queues.add(11, to: "b")
        queues.finish("b")
        #expect(queues.take(5) == [2, 11])
        queues.finish("a")
        #expect(queues.take(5) == [3])
        #expect(queues.count == 0)
    }

    @Test("a lane is closed while one of its elements is served")
    mutating func closed() {
        queues.add(1, to: "a")
        #expect(queues.take { _ in false } == [1])
        queues.add(2, to: "a")
        #expect(queues.take { _ in false } == [])
        #expect(queues.count(in: "a") == 1)
        queues.finish("a")
        #expect(queues.take { _ in false } == [2])
    }

    @Test("an empty lane can be closed for something else, and only an empty one")
    mutating func occupied() {
        #expect(queues.occupy("a") && !queues.occupy("a"))
        queues.add(1, to: "a")
        #expect(queues.take(5) == [])
        queues.finish("a")
        let isIdle = queues.occupy("a")
        #expect(!isIdle, "somebody waits")
        #expect(queues.take(5) == [1])
        queues.finish("a")
        let isIdleAgain = queues.occupy("a")
        #expect(isIdleAgain)
        queues.finish("a")
        #expect(queues.count == 0 && queues.take(5) == [])
    }

    @Test("elements that don't fit wait for the next batch, in order of arrival")
    mutating func limit() {
        for element in 1...5 { queues.add(element, to: "\(element)") }
        #expect(queues.take(2) == [1, 2])
        #expect(queues.take(2) == [3, 4])
        #expect(queues.take(2) == [5])
        #expect(queues.take(2) == [])
    }

    @Test("a lane that nobody uses any more takes no room")
    mutating func room() {
        queues.add(1, to: "a")
        _ = queues.take { _ in false }
        queues.finish("a")
        queues.finish("a")
        queues.finish("never here")
        #expect(queues.take { _ in false } == [])
        queues.add(2, to: "a")
        #expect(queues.take { _ in false } == [2])
    }
}

extension KeyedQueues {
    fileprivate mutating func take(_ number: Int) -> [Element] {
        var taken = 0
        return take { _ in
            taken += 1
            return taken == number
        }
    }
}
