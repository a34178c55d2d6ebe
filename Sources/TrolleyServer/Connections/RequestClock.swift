import NIOCore

/// Decides how long a request may take to arrive, and its answer to leave. A value without a clock.
///
/// It times one HTTP/1.1 connection, or one stream of HTTP/2. How long the service takes in between is not its business,
/// so an event stream may be open for ever as long as it is read.
struct RequestClock: Sendable {
    private let timeouts: Timeouts
    /// When the head came of a request whose body is still to come.
    private var arrivingSince: NIODeadline?
    private var answeredAt: NIODeadline?
    /// What was written and has not left.
    private var parts = 0
    private var bytes = 0
    private var lastLeft: NIODeadline

    init(_ timeouts: Timeouts, at now: NIODeadline) {
        self.timeouts = timeouts
        lastLeft = now
    }

    /// Whether a request's body is still to come.
    var isArriving: Bool { arrivingSince != nil }

    mutating func headArrived(at now: NIODeadline) {
        arrivingSince = now
        answeredAt = nil
    }

    mutating func bodyArrived() {
        arrivingSince = nil
        answeredAt = nil
    }

    /// The whole answer was written.
    mutating func answered(at now: NIODeadline) {
        if isArriving { answeredAt = now }
    }

    mutating func wrote(bytes count: Int, at now: NIODeadline) {
        if parts == 0 { lastLeft = now }
        parts += 1
        bytes += count
    }

    mutating func left(bytes count: Int, at now: NIODeadline) {
        parts -= 1
        bytes -= count
        lastLeft = now
    }

    var deadline: Deadline? {
        var deadlines: [Deadline] = []
        if let answeredAt {
            deadlines.append(Deadline(at: answeredAt + timeouts.linger, reason: .linger))
        } else if let arrivingSince {
            deadlines.append(Deadline(at: arrivingSince + timeouts.body, reason: .body))
        }
        if parts > 0 {
            // One write of a whole page leaves in one piece, however long a slow phone takes for it.
            let patience = timeouts.write + .milliseconds(Int64(bytes) * 1000 / Int64(timeouts.slowest))
            deadlines.append(Deadline(at: lastLeft + patience, reason: .write))
        }
        return deadlines.min { $0.at < $1.at }
    }
}
