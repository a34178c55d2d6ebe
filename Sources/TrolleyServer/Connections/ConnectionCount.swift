import Synchronization

/// Counts and limits connections, in total and by address.
final class ConnectionCount: Sendable {
    private struct State {
        var total = 0
        var byAddress: [IPAddress: Int] = [:]
    }

    /// Additional connections that this machine may open at the limit. Health checks come from here; otherwise a
    /// service with many clients would count as dead.
    static let reservedForThisMachine = 4

    private let maximum: Int
    private let maximumByAddress: Int
    private let state = Mutex(State())

    init(maximum: Int, byAddress: Int) {
        self.maximum = maximum
        maximumByAddress = byAddress
    }

    var total: Int { state.withLock { $0.total } }

    /// Registers a connection if the limits allow it; ``leave(_:)`` removes it.
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
