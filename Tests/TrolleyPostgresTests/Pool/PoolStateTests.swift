import Testing

@testable import TrolleyPostgres

@Suite(.timeLimit(.minutes(20))) struct PoolStateTests {
    private typealias State = PoolState<String, Int>

    @Test func `opens up to the limit, then lets wait`() {
        var state = State(limit: 2)
        for _ in 0..<2 {
            guard case .open = state.lease() else { return #expect(Bool(false), "expected to open") }
        }
        guard case .wait = state.lease() else { return #expect(Bool(false), "expected to wait") }
        #expect(state.busy == 2)
    }

    @Test func `a connection goes on to the one that waits longest`() {
        var state = State(limit: 1)
        _ = state.lease()
        state.wait(id: 1, 101)
        state.wait(id: 2, 102)
        guard case .pass("a", to: 101) = state.release("a") else { return #expect(Bool(false), "expected to pass on") }
        #expect(state.busy == 1)
        #expect(state.waitingCount == 1)
    }

    @Test func `a broken connection's place goes on to the one that waits longest`() {
        var state = State(limit: 1)
        _ = state.lease()
        state.wait(id: 1, 101)
        guard case .replace("a", 101) = state.discard("a") else { return #expect(Bool(false), "expected to replace") }
        #expect(state.busy == 1)
        guard case .drop("b") = state.discard("b") else { return #expect(Bool(false), "expected to drop") }
        #expect(state.busy == 0)
    }

    @Test func `the connection used last is lent first`() {
        var state = State(limit: 2)
        _ = state.lease()
        _ = state.lease()
        _ = state.release("a")
        _ = state.release("b")
        guard case .reuse("b") = state.lease() else { return #expect(Bool(false), "expected the last") }
    }

    @Test func `a caller that stopped waiting gets no connection`() {
        var state = State(limit: 1)
        _ = state.lease()
        state.wait(id: 1, 101)
        #expect(state.stopWaiting(id: 1) == 101)
        #expect(state.stopWaiting(id: 1) == nil)
        guard case .idle = state.release("a") else { return #expect(Bool(false), "expected to idle") }
    }

    @Test func `closed, it lends nothing and drops what comes back`() {
        var state = State(limit: 3)
        _ = state.lease()
        _ = state.lease()
        _ = state.release("a")
        let (idle, _) = state.close()
        #expect(idle == ["a"])
        guard case .closed = state.lease() else { return #expect(Bool(false), "expected it to be closed") }
        guard case .drop("b") = state.release("b") else { return #expect(Bool(false), "expected to drop") }
        #expect(state.busy == 0)
    }
}
