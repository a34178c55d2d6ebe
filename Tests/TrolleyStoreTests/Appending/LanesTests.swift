import Testing

@testable import TrolleyStore

@Suite("Lanes", .timeLimit(.minutes(20)))
struct LanesTests {
    private var lanes = Lanes<String, Int>()

    @Test("lanes take turns, and those in one lane are served in the order of their coming")
    mutating func turns() {
        for element in 1...3 { lanes.add(element, to: "a") }
        lanes.add(10, to: "b")
        #expect(lanes.count == 4)
        #expect(lanes.take(5) == [1, 10])
        lanes.finish("a")
        lanes.add(11, to: "b")
        lanes.finish("b")
        #expect(lanes.take(5) == [2, 11])
        lanes.finish("a")
        #expect(lanes.take(5) == [3])
        #expect(lanes.count == 0)
    }

    @Test("a lane is closed while one of its elements is served")
    mutating func closed() {
        lanes.add(1, to: "a")
        #expect(lanes.take { _ in false } == [1])
        lanes.add(2, to: "a")
        #expect(lanes.take { _ in false } == [])
        #expect(lanes.count(in: "a") == 1)
        lanes.finish("a")
        #expect(lanes.take { _ in false } == [2])
    }

    @Test("an empty lane can be closed for something else, and only an empty one")
    mutating func occupied() {
        #expect(lanes.occupy("a") && !lanes.occupy("a"))
        lanes.add(1, to: "a")
        #expect(lanes.take(5) == [])
        lanes.finish("a")
        let isIdle = lanes.occupy("a")
        #expect(!isIdle, "somebody waits")
        #expect(lanes.take(5) == [1])
        lanes.finish("a")
        let isIdleAgain = lanes.occupy("a")
        #expect(isIdleAgain)
        lanes.finish("a")
        #expect(lanes.count == 0 && lanes.take(5) == [])
    }

    @Test("elements that don't fit wait for the next batch, in order of arrival")
    mutating func limit() {
        for element in 1...5 { lanes.add(element, to: "\(element)") }
        #expect(lanes.take(2) == [1, 2])
        #expect(lanes.take(2) == [3, 4])
        #expect(lanes.take(2) == [5])
        #expect(lanes.take(2) == [])
    }

    @Test("a lane that nobody uses any more takes no room")
    mutating func room() {
        lanes.add(1, to: "a")
        _ = lanes.take { _ in false }
        lanes.finish("a")
        lanes.finish("a")
        lanes.finish("never here")
        #expect(lanes.take { _ in false } == [])
        lanes.add(2, to: "a")
        #expect(lanes.take { _ in false } == [2])
    }
}

extension Lanes {
    fileprivate mutating func take(_ number: Int) -> [Element] {
        var taken = 0
        return take { _ in
            taken += 1
            return taken == number
        }
    }
}
