import Testing

@testable import TrolleyStore

@Suite("A fair queue", .timeLimit(.minutes(20)))
struct FairQueueTests {
    @Test("keys take turns, and each key's own are in order")
    func turns() {
        var queue = FairQueue<String, Int>(maximum: 10)
        for (key, element) in [("a", 1), ("a", 2), ("a", 3), ("b", 10), ("c", 20), ("b", 11)] {
            #expect(queue.enter(element, of: key) == nil)
        }
        #expect(queue.count == 6)
        #expect(queue.drain() == [1, 10, 20, 2, 11, 3])
        #expect(queue.count == 0)
    }

    @Test("when it is full, the newest of the longest line makes room for a shorter line, and for no other")
    func displacement() {
        var queue = FairQueue<String, Int>(maximum: 4)
        for element in 1...4 { #expect(queue.enter(element, of: "flood") == nil) }
        #expect(queue.enter(5, of: "flood") == 5)
        #expect(queue.enter(10, of: "b") == 4)
        #expect(queue.enter(11, of: "b") == 3)
        #expect(queue.enter(12, of: "b") == 12, "both lines have two")
        #expect(queue.enter(5, of: "flood") == 5)
        #expect(queue.enter(20, of: "c") != nil)
        #expect(queue.enter(30, of: "d") != nil)
        #expect(queue.enter(40, of: "e") == 40, "four lines of one")
        #expect(queue.drain() == [1, 10, 20, 30])
    }

    @Test("a queue without room admits nobody")
    func nobody() {
        var queue = FairQueue<String, Int>(maximum: 0)
        #expect(queue.enter(1, of: "a") == 1)
        #expect(queue.next() == nil)
    }

    @Test("a key that comes back goes to the end of the turns, once", arguments: [1, 2, 3] as [UInt64])
    func random(seed: UInt64) {
        // Compared with the plain rule: no request is overtaken twice by the same key.
        var state = seed
        func random(_ bound: UInt64) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % bound)
        }
        var queue = FairQueue<Int, Int>(maximum: 20)
        var waiting: [Int: Int] = [:]
        var passed: [Int: [Int: Int]] = [:]
        for step in 0..<2_000 {
            if random(3) > 0 {
                let key = random(4)
                let before = queue.count
                let refused = queue.enter(key, of: key)
                #expect(refused == nil || before == 20)
                if refused != key { waiting[key, default: 0] += 1 }
                if let refused, refused != key { waiting[refused, default: 0] -= 1 }
            } else if let (key, _) = queue.next() {
                waiting[key, default: 0] -= 1
                passed[key] = [:]
                for (other, count) in waiting where other != key && count > 0 {
                    passed[other, default: [:]][key, default: 0] += 1
                    #expect(passed[other]?[key] ?? 0 <= 1, "step \(step), seed \(seed)")
                }
                for (other, count) in waiting where count == 0 { passed[other] = [:] }
            }
            #expect(queue.count == waiting.values.reduce(0, +) && queue.count <= 20)
        }
    }
}

@Suite("A fair queue of keys that may wait", .timeLimit(.minutes(20)))
struct FairQueueKeyTests {
    @Test("a key that may not run is passed over, and keeps its turn")
    func passedOver() {
        var queue = FairQueue<String, Int>(maximum: 10)
        for (key, element) in [("a", 1), ("b", 10), ("a", 2)] { _ = queue.enter(element, of: key) }
        #expect(queue.next(where: { $0 != "a" })?.element == 10)
        #expect(queue.next(where: { $0 != "a" }) == nil && queue.count == 2)
        #expect(queue.drain() == [1, 2])
    }

    @Test("one key has no more than its share of the queue")
    func share() {
        var queue = FairQueue<String, Int>(maximum: 10, ofKey: 2)
        #expect((1...3).map { queue.enter($0, of: "a") } == [nil, nil, 3])
        #expect(queue.enter(10, of: "b") == nil)
    }
}

extension FairQueue {
    fileprivate mutating func drain() -> [Element] {
        var all: [Element] = []
        while let (_, element) = next() { all.append(element) }
        return all
    }
}
