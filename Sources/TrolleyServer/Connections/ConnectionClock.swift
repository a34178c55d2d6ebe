import NIOCore

/// Decides how long a connection may go without a complete request. A value without a clock.
///
/// A head that arrives slowly is visible only as bytes, so it is timed from its first byte. Under HTTP/2 heads are
/// frames among other streams' bytes. There only the first head is timed like that; after it, the time without an open
/// stream counts.
struct ConnectionClock: Sendable {
    private let timeouts: Timeouts
    private var open = 0
    /// When the current head began; nil when none is being read.
    private var headSince: NIODeadline?
    private var idleSince: NIODeadline
    private var isMultiplexed = false

    init(_ timeouts: Timeouts, at now: NIODeadline) {
        self.timeouts = timeouts
        headSince = now
        idleSince = now
    }

    mutating func bytesArrived(at now: NIODeadline) {
        if open == 0, headSince == nil, !isMultiplexed { headSince = now }
    }

    mutating func requestBegan(multiplexed: Bool) {
        open += 1
        headSince = nil
        isMultiplexed = multiplexed
    }

    mutating func requestsEnded(_ count: Int = 1, at now: NIODeadline) {
        open = max(0, open - count)
        idleSince = now
    }

    /// nil while a request is being handled.
    var deadline: Deadline? {
        if open > 0 { return nil }
        if let headSince { return Deadline(at: headSince + timeouts.head, reason: .head) }
        return Deadline(at: idleSince + timeouts.idle, reason: .idle)
    }
}
