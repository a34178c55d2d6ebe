import Testing

@testable import TrolleyPostgres

@Suite(.timeLimit(.minutes(20))) struct PoolStateTests {
    private typealias State = PoolState<String, Int>

    @Test func `opens up to the limit, then lets wait`() {
        var state = State(shares: LeaseShares(connections: 2))
        for _ in 0..<2 {
            guard case .open = state.lease(.request) else { return #expect(Bool(false), "expected to open") }
        }
        guard case .wait = state.lease(.request) else { return #expect(Bool(false), "expected to wait") }
        #expect(state.busy == 2)
    }

    @Test func `a connection goes on to the one that waits longest`() {
        var state = State(shares: LeaseShares(connections: 1))
        _ = state.lease(.request)
        state.wait(id: 1, .request, 101)
        state.wait(id: 2, .request, 102)
        guard case .pass("a", to: 101) = state.release("a", .request) else {
            return #expect(Bool(false), "expected to pass on")
        }
        #expect(state.busy == 1)
        #expect(state.waitingCount == 1)
    }

    @Test func `a broken connection's place goes on to the one that waits longest`() {
        var state = State(shares: LeaseShares(connections: 1))
        _ = state.lease(.request)
        state.wait(id: 1, .request, 101)
        guard case .replace("a", 101) = state.discard("a", .request) else {
            return #expect(Bool(false), "expected to replace")
        }
        #expect(state.busy == 1)
        guard case .drop("b") = state.discard("b", .request) else { return #expect(Bool(false), "expected to drop") }
        #expect(state.busy == 0)
    }

    @Test func `the connection used last is lent first`() {
        var state = State(shares: LeaseShares(connections: 2))
        _ = state.lease(.request)
        _ = state.lease(.request)
        _ = state.release("a", .request)
        _ = state.release("b", .request)
        guard case .reuse("b") = state.lease(.request) else { return #expect(Bool(false), "expected the last") }
    }

    @Test func `a caller that stopped waiting gets no connection`() {
        var state = State(shares: LeaseShares(connections: 1))
        _ = state.lease(.request)
        state.wait(id: 1, .request, 101)
        #expect(state.stopWaiting(id: 1) == 101)
        #expect(state.stopWaiting(id: 1) == nil)
        guard case .idle = state.release("a", .request) else { return #expect(Bool(false), "expected to idle") }
    }

    @Test func `closed, it lends nothing and drops what comes back`() {
        var state = State(shares: LeaseShares(connections: 3))
        _ = state.lease(.request)
        _ = state.lease(.request)
        _ = state.release("a", .request)
        let (idle, _) = state.close()
        #expect(idle == ["a"])
        guard case .closed = state.lease(.request) else { return #expect(Bool(false), "expected it to be closed") }
        guard case .drop("b") = state.release("b", .request) else { return #expect(Bool(false), "expected to drop") }
        #expect(state.busy == 0)
    }

    @Test func `a waiter of a class that may have a connection goes before an older one that may not`() {
        var state = State(shares: LeaseShares(connections: 16))
        for _ in 0..<4 { _ = state.lease(.longRead) }
        guard case .wait = state.lease(.longRead) else { return #expect(Bool(false), "expected to wait") }
        state.wait(id: 1, .longRead, 101)
        for _ in 0..<5 { _ = state.lease(.append) }
        for _ in 0..<4 { _ = state.lease(.request) }
        guard case .wait = state.lease(.request) else { return #expect(Bool(false), "expected to wait") }
        state.wait(id: 2, .request, 102)
        guard case .pass("a", to: 102) = state.release("a", .append) else {
            return #expect(Bool(false), "expected 102")
        }
        guard case .pass("b", to: 101) = state.release("b", .longRead) else {
            return #expect(Bool(false), "expected 101")
        }
    }
}

@Suite(.timeLimit(.minutes(20))) struct LeaseSharesTests {
    @Test func `the reserves leave connections to share in a pool of any size`() {
        for connections in 1...200 {
            let shares = LeaseShares(connections: connections)
            #expect(shares.reserved < connections)
            for use in LeaseClass.allCases {
                #expect(shares[use].maximum >= max(1, shares[use].reserve) && shares[use].maximum <= connections)
            }
        }
        let usual = LeaseShares(connections: Pool.Options().maximumConnections)
        #expect(LeaseClass.allCases.map { usual[$0].reserve } == [3, 1, 2, 2, 1, 1])
        #expect(LeaseClass.allCases.map { usual[$0].maximum } == [9, 4, 8, 8, 4, 4])
    }

    @Test func `whatever the other classes hold, a class gets its reserve, and all connections can be used`() {
        for connections in 1...40 {
            for last in LeaseClass.allCases {
                var state = PoolState<Int, Int>(shares: LeaseShares(connections: connections))
                let others = LeaseClass.allCases.filter { $0 != last }
                for use in others.shuffled() { while case .open = state.lease(use) {} }
                let before = state.busy
                while case .open = state.lease(last) {}
                #expect(state.busy - before >= state.shares[last].reserve)
                for use in others { while case .open = state.lease(use) {} }
                #expect(state.busy == connections || LeaseClass.allCases.allSatisfy { state.busy($0) > 0 })
            }
        }
    }

    @Test func `reads of whole journals, contended appends and background work leave a small pool to the others`() {
        for connections in 4...8 {
            var state = PoolState<Int, Int>(shares: LeaseShares(connections: connections))
            for use in [LeaseClass.longRead, .contendedAppend, .background] { while case .open = state.lease(use) {} }
            for use in [LeaseClass.append, .shortRead, .request] {
                guard case .open = state.lease(use) else { return #expect(Bool(false), "\(use) of \(connections)") }
                _ = state.release(0, use)
                guard case .reuse = state.lease(use) else { return #expect(Bool(false), "expected to reuse") }
                _ = state.discard(nil, use)
            }
        }
    }
}
