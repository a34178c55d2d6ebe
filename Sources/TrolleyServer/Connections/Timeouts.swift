package import NIOCore

/// Time-outs for slow connections.
package struct Timeouts: Hashable, Sendable {
    /// From the first byte of a request (or from connecting) to the end of its head.
    package var head: TimeAmount
    /// From the end of a request's head to the end of its body; also how long an unwanted body is still read.
    package var body: TimeAmount
    /// How long a connection may wait for its next request.
    package var idle: TimeAmount
    /// How long a response may make no progress because the client doesn't read, in addition to the time at
    /// ``minBytesPerSecond``.
    package var write: TimeAmount
    /// Bytes a second: the slowest rate at which a client may read, such as a phone with a weak signal.
    package var minBytesPerSecond: Int
    /// How long a body is still read after the response has been sent.
    package var linger: TimeAmount
    /// How long a connection under TLS that the service closes waits for the client's own close.
    package var goodbye: TimeAmount

    package init(
        head: TimeAmount = .seconds(20), body: TimeAmount = .minutes(2), idle: TimeAmount = .minutes(2),
        write: TimeAmount = .minutes(1), minBytesPerSecond: Int = 1024, linger: TimeAmount = .seconds(2),
        goodbye: TimeAmount = .seconds(5)
    ) {
        self.head = head
        self.body = body
        self.idle = idle
        self.write = write
        self.minBytesPerSecond = minBytesPerSecond
        self.linger = linger
        self.goodbye = goodbye
    }
}

/// The reason why a connection was closed.
enum TimeoutReason: String, CaseIterable, Sendable {
    case head, body, idle, write, linger
    /// Too many response bytes were unsent, though no time-out had passed.
    case unsent
}

/// When something must have happened; otherwise the connection is closed.
struct Deadline: Hashable, Sendable {
    let at: NIODeadline
    let reason: TimeoutReason
}
