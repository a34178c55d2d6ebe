public import NIOCore

/// How slow a connection may be.
public struct Timeouts: Hashable, Sendable {
    /// From the first byte of a request (or from connecting) to the end of its head.
    public var head: TimeAmount
    /// From the end of a request's head to the end of its body; and how long a body that nobody wants is still read.
    public var body: TimeAmount
    /// How long a connection may wait for its next request.
    public var idle: TimeAmount
    /// How long an answer may stand still because the other side doesn't read, above what ``slowest`` needs.
    public var write: TimeAmount
    /// Bytes a second at which a phone with little signal may read.
    public var slowest: Int
    /// How long a body is still read after the answer has gone.
    public var linger: TimeAmount

    public init(
        head: TimeAmount = .seconds(20), body: TimeAmount = .minutes(2), idle: TimeAmount = .minutes(2),
        write: TimeAmount = .minutes(1), slowest: Int = 1024, linger: TimeAmount = .seconds(2)
    ) {
        self.head = head
        self.body = body
        self.idle = idle
        self.write = write
        self.slowest = slowest
        self.linger = linger
    }
}

/// What took too long.
enum Slowness: String, CaseIterable, Sendable {
    case head, body, idle, write, linger
    /// Too much of its answers has not left, though it was not slow yet.
    case unsent
}

/// When something must have happened, or the connection ends.
struct Deadline: Hashable, Sendable {
    let at: NIODeadline
    let reason: Slowness
}
