/// Who has which connection: decides, and leaves it to the pool to act.
struct PoolState<Item: Sendable, Waiter: Sendable>: Sendable {
    enum Lease {
        /// Has been idle: check it before use.
        case reuse(Item)
        /// The caller opens a connection, and reports with `opened` or `openFailed`.
        case open
        case wait
        case closed
    }

    enum Release {
        case idle
        case drop(Item)
        /// Goes straight on to the one that waits longest.
        case pass(Item, to: Waiter)
        /// Somebody may open a connection in the place of this.
        case replace(Item?, Waiter)
    }

    let limit: Int
    private var idle: [Item] = []
    private var waiters: [(id: Int, waiter: Waiter)] = []
    /// Leased or being opened.
    private(set) var busy = 0
    private(set) var isClosed = false

    init(limit: Int) {
        self.limit = limit
    }

    var idleCount: Int { idle.count }
    var waitingCount: Int { waiters.count }

    /// `id` and `waiter` are kept if the answer is `wait`.
    mutating func lease() -> Lease {
        if isClosed { return .closed }
        // The one used last is the likeliest to be alive and warm.
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

    /// Time-out or cancellation. Nil when it has been served meanwhile.
    mutating func stopWaiting(id: Int) -> Waiter? {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return nil }
        return waiters.remove(at: index).waiter
    }

    /// A lease ends, with a connection that is as good as new.
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

    /// A lease ends without a connection that could be used again. The place goes to the one that waits longest.
    mutating func discard(_ item: Item?) -> Release? {
        if !isClosed, let next = nextWaiter() { return .replace(item, next) }
        busy -= 1
        return item.map { .drop($0) }
    }

    /// Answers with everything that is to end now. Leases go on.
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
