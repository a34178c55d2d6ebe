/// The pool's bookkeeping. It decides which class of work gets a connection (``LeaseShares``); the pool acts.
struct PoolState<Item: Sendable, Waiter: Sendable>: Sendable {
    enum Lease {
        /// An idle connection: check it before use.
        case reuse(Item)
        /// The caller opens a connection, and calls `discard` if that fails.
        case open
        case wait
        case closed
    }

    enum Release {
        case idle
        case drop(Item)
        /// Hand the connection to this waiter.
        case pass(Item, to: Waiter)
        /// The waiter may open a connection in place of this one.
        case replace(Item?, Waiter)
    }

    let shares: LeaseShares
    private var idle: [Item] = []
    private var waiters: [(id: Int, use: LeaseClass, waiter: Waiter)] = []
    /// Connections that are leased or being opened, by the raw value of their class.
    private var running = LeaseClass.allCases.map { _ in 0 }
    private(set) var isClosed = false

    init(shares: LeaseShares) {
        self.shares = shares
    }

    var idleCount: Int { idle.count }
    var waitingCount: Int { waiters.count }
    /// Connections that are leased or being opened.
    var busy: Int { running.reduce(0, +) }

    func busy(_ use: LeaseClass) -> Int { running[use.rawValue] }
    func waiting(_ use: LeaseClass) -> Int { waiters.count { $0.use == use } }

    /// Takes an idle connection or a place, if the class may have one.
    mutating func lease(_ use: LeaseClass) -> Lease {
        if isClosed { return .closed }
        guard shares.admits(use, running: running) else { return .wait }
        running[use.rawValue] += 1
        // The connection that was used last is the most likely to be alive and warm.
        return idle.popLast().map { .reuse($0) } ?? .open
    }

    mutating func wait(id: Int, _ use: LeaseClass, _ waiter: Waiter) {
        waiters.append((id, use, waiter))
    }

    /// Removes a waiter after a time-out or a cancellation. Returns nil when it has been served meanwhile.
    mutating func stopWaiting(id: Int) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// Ends a lease whose connection can be lent again.
    mutating func release(_ item: Item, _ use: LeaseClass) -> Release {
        running[use.rawValue] -= 1
        if isClosed { return .drop(item) }
        if let next = admitWaiter() { return .pass(item, to: next) }
        idle.append(item)
        return .idle
    }

    /// Ends a lease whose connection can't be used again. The place goes to a waiter.
    mutating func discard(_ item: Item?, _ use: LeaseClass) -> Release? {
        running[use.rawValue] -= 1
        if !isClosed, let next = admitWaiter() { return .replace(item, next) }
        return item.map { .drop($0) }
    }

    /// Returns the idle connections and the waiters, which must end now. Running leases continue.
    mutating func close() -> (idle: [Item], waiters: [Waiter]) {
        isClosed = true
        defer {
            idle = []
            waiters = []
        }
        return (idle, waiters.map(\.waiter))
    }

    /// Removes the waiter that has waited longest, among those whose class may have a connection.
    private mutating func admitWaiter() -> Waiter? {
        guard let index = waiters.firstIndex(where: { shares.admits($0.use, running: running) }) else { return nil }
        let next = waiters.remove(at: index)
        running[next.use.rawValue] += 1
        return next.waiter
    }
}
