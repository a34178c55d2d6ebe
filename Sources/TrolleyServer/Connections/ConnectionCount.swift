import Synchronization

/// How many connections there are, and from where. Bounded.
final class ConnectionCount: Sendable {
    private struct State {
        var total = 0
        var byAddress: [IPAddress: Int] = [:]
    }

    /// Connections from this machine itself that may come when there are as many as there may be: whether the service lives
    /// is asked from here. Otherwise a service with many people on it would be taken for dead.
    static let reservedForThisMachine = 4

    private let maximum: Int
    private let maximumByAddress: Int
    private let state = Mutex(State())

    init(maximum: Int, byAddress: Int) {
        self.maximum = maximum
        maximumByAddress = byAddress
    }

    var total: Int { state.withLock { $0.total } }

    /// Whether one more may come; ``leave(_:)`` when it goes.
    func enter(_ address: IPAddress?) -> Bool {
        state.withLock { state in
            let reserve = address?.isLoopback == true ? Self.reservedForThisMachine : 0
            guard state.total < maximum + reserve else { return false }
            if let address = address?.counted {
                guard state.byAddress[address, default: 0] < maximumByAddress else { return false }
                state.byAddress[address, default: 0] += 1
            }
            state.total += 1
            return true
        }
    }

    func leave(_ address: IPAddress?) {
        state.withLock { state in
            state.total -= 1
            guard let address = address?.counted, let count = state.byAddress[address] else { return }
            state.byAddress[address] = count > 1 ? count - 1 : nil
        }
    }
}
