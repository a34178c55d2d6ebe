import Synchronization
import Testing
import TrolleyPostgres

@testable import TrolleyStore

@Suite("Fair gates", .timeLimit(.minutes(20)))
struct FairGateTests {
    @Test("a few run at the same time, and one of each owner")
    func bound() async throws {
        let gate = FairGate<Int>(parallel: 2, parallelOfKey: 1, waiting: 100)
        let counts = Shared((running: [Int: Int](), most: 0, mostOfOne: 0))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    try await gate.withTurn(of: number % 4) {
                        counts.withLock { counts in
                            counts.running[number % 4, default: 0] += 1
                            counts.most = max(counts.most, counts.running.values.reduce(0, +))
                            counts.mostOfOne = max(counts.mostOfOne, counts.running.values.max() ?? 0)
                        }
                        await Task.yield()
                        counts.withLock { $0.running[number % 4, default: 0] -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        let (most, mostOfOne) = counts.withLock { ($0.most, $0.mostOfOne) }
        #expect(most <= 2 && mostOfOne == 1)
    }

    @Test("a key's only element goes before another key's second, and too many are refused")
    func turns() async throws {
        let gate = FairGate<String>(parallel: 1, waiting: 100, waitingOfKey: 2)
        let order = Shared([String]())
        let (hold, release) = AsyncStream.makeStream(of: Void.self)
        let (entered, isIn) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                try await gate.withTurn(of: "first") {
                    isIn.yield()
                    for await _ in hold { break }
                }
            }
            for await _ in entered { break }
            for (number, owner) in ["often", "often", "once"].enumerated() {
                group.addTask { try await gate.withTurn(of: owner) { order.withLock { $0.append(owner) } } }
                while gate.waiting <= number { await Task.yield() }
            }
            await #expect(throws: FairGate<String>.QueueFull.self) { try await gate.withTurn(of: "often") {} }
            release.yield()
            try await group.waitForAll()
        }
        #expect(order.withLock { $0 } == ["often", "once", "often"])
    }

    @Test("an operation that is cancelled while it waits gives up its place in the queue")
    func cancellation() async throws {
        let gate = FairGate<Int>(parallel: 1, waiting: 2)
        let (entered, hold) = (Promise<Void>(), Promise<Void>())
        let holding = Task {
            try await gate.withTurn(of: 0) {
                entered.fulfill(())
                await hold.value
            }
        }
        // Otherwise one of the others may come first, and have the turn.
        await entered.value
        let ran = Shared([Int]())
        var waiting: [Task<Void, any Error>] = []
        for number in 1...2 {
            while gate.waiting < number - 1 { await Task.yield() }
            waiting.append(Task { try await gate.withTurn(of: number) { ran.withLock { $0.append(number) } } })
        }
        while gate.waiting < 2 { await Task.yield() }
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { try await waiting[0].value }
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await gate.withTurn(of: 3) {}
        }
        await #expect(throws: CancellationError.self) { try await early.value }
        #expect(gate.waiting == 1)
        hold.fulfill(())
        try await holding.value
        try await waiting[1].value
        #expect(ran.withLock { $0 } == [2])
    }

    @Test("in a full queue, a key with many elements makes room for a key with few")
    func displacement() async throws {
        let gate = FairGate<String>(parallel: 1, waiting: 4)
        let refused = Shared([String]())
        let (hold, release) = AsyncStream.makeStream(of: Void.self)
        let (entered, isIn) = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                try? await gate.withTurn(of: "first") {
                    isIn.yield()
                    for await _ in hold { break }
                }
            }
            for await _ in entered { break }
            for number in 0..<4 {
                group.addTask {
                    do { try await gate.withTurn(of: "often") {} } catch { refused.withLock { $0.append("often") } }
                }
                while gate.waiting <= number { await Task.yield() }
            }
            group.addTask {
                do { try await gate.withTurn(of: "once") {} } catch { refused.withLock { $0.append("once") } }
            }
            while refused.withLock(\.isEmpty) { await Task.yield() }
            release.yield()
        }
        #expect(refused.withLock { $0 } == ["often"])
    }

    @Test("an operation that doesn't wait runs only if its key and a place are free")
    func atOnce() async throws {
        let gate = FairGate<String>(parallel: 2, parallelOfKey: 1, waiting: 1)
        try await gate.withTurn(of: "anna") {
            #expect(try await gate.withoutWaiting(of: "anna") { 1 } == nil)
            let nested = try await gate.withoutWaiting(of: "ben") { try await gate.withoutWaiting(of: "cleo") { 3 } }
            #expect(nested == .some(nil), "both places are taken")
        }
        #expect(try await gate.withoutWaiting(of: "anna") { 1 } == 1)
    }

    @Test("a failed operation passes its place on")
    func failure() async throws {
        struct Failure: Error {}
        let gate = FairGate<Int>(parallel: 1, waiting: 1)
        await #expect(throws: Failure.self) { try await gate.withTurn(of: 1) { throw Failure() } }
        #expect(try await gate.withTurn(of: 1) { 7 } == 7)
    }
}

/// A value that several tasks write to.
final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    func withLock<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
        value.withLock { value in
            var copy = value
            defer { value = copy }
            return body(&copy)
        }
    }
}
