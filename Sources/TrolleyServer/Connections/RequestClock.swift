import NIOCore

/// Decides how long a request may take to arrive, and its response to be read. A value without a clock.
///
/// It times one HTTP/1.1 connection, or one HTTP/2 stream. It doesn't count the time that the service takes to answer,
/// so an event stream may stay open for ever as long as the client reads it.
struct RequestClock: Sendable {
    private let timeouts: Timeouts
    /// When the head arrived of a request whose body is incomplete.
    private var arrivingSince: NIODeadline?
    private var answeredAt: NIODeadline?
    /// The writes, and their bytes, that have not been sent yet.
    private var parts = 0
    private var bytes = 0
    private var lastLeft: NIODeadline

    init(_ timeouts: Timeouts, at now: NIODeadline) {
        self.timeouts = timeouts
        lastLeft = now
    }

    /// Whether a request's body is incomplete.
    var isArriving: Bool { arrivingSince != nil }

    mutating func headArrived(at now: NIODeadline) {
        arrivingSince = now
        answeredAt = nil
    }

    mutating func bodyArrived() {
        arrivingSince = nil
        answeredAt = nil
    }

    /// The whole response was written.
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
            // A whole page is one write, however long a slow phone takes to read it.
            let waitLimit = timeouts.write + .milliseconds(Int64(bytes) * 1000 / Int64(timeouts.minBytesPerSecond))
            deadlines.append(Deadline(at: lastLeft + waitLimit, reason: .write))
        }
        return deadlines.min { $0.at < $1.at }
    }
}
