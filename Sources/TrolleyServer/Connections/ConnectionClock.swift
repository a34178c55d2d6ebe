import NIOCore

/// Decides how long a connection may go without a whole request. A value without a clock.
///
/// A head that dribbles in is seen only as bytes, so it is timed from its first one. Under HTTP/2 heads come as frames of
/// their own among others' bytes: there only the first is timed so, and then how long no stream is open.
struct ConnectionClock: Sendable {
    private let timeouts: Timeouts
    private var open = 0
    /// When the head began that is being read; nil while none is.
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

    /// nil while a request is being answered.
    var deadline: Deadline? {
        if open > 0 { return nil }
        if let headSince { return Deadline(at: headSince + timeouts.head, reason: .head) }
        return Deadline(at: idleSince + timeouts.idle, reason: .idle)
    }
}
