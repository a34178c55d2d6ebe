/// The pool's bookkeeping. It decides who gets a connection; the pool acts.
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
        /// Hand the connection to the waiter that has waited longest.
        case pass(Item, to: Waiter)
        /// The waiter may open a connection in place of this one.
        case replace(Item?, Waiter)
    }

    let limit: Int
    private var idle: [Item] = []
    private var waiters: [(id: Int, waiter: Waiter)] = []
    /// Connections that are leased or being opened.
    private(set) var busy = 0
    private(set) var isClosed = false

    init(limit: Int) {
        self.limit = limit
    }

    var idleCount: Int { idle.count }
    var waitingCount: Int { waiters.count }

    /// Takes an idle connection or a place, if there is one.
    mutating func lease() -> Lease {
        if isClosed { return .closed }
        // The connection that was used last is the most likely to be alive and warm.
        if let item = idle.popLast() {
            busy += 1
            return .reuse(item)
        }
        guard busy < limit else { return .wait }
        busy += 1
        return .open
    }

    mutating func wait(id: Int, _ waiter: Waiter) {
        waiters.append((id, waiter))
    }

    /// Removes a waiter after a time-out or a cancellation. Returns nil when it has been served meanwhile.
    mutating func stopWaiting(id: Int) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// Ends a lease whose connection can be lent again.
    mutating func release(_ item: Item) -> Release {
        if isClosed {
            busy -= 1
            return .drop(item)
        }
        if let next = nextWaiter() { return .pass(item, to: next) }
        busy -= 1
        idle.append(item)
        return .idle
    }

    /// Ends a lease whose connection can't be used again. The place goes to the waiter that has waited longest.
    mutating func discard(_ item: Item?) -> Release? {
        if !isClosed, let next = nextWaiter() { return .replace(item, next) }
        busy -= 1
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

    private mutating func nextWaiter() -> Waiter? {
        waiters.isEmpty ? nil : waiters.removeFirst().waiter
    }
}
