import NIOCore

/// Limits how fast one socket may send. A value without a clock (GCRA, ITU-T I.371).
struct MessageMeter: Sendable {
    private let interval: TimeAmount
    private let burst: TimeAmount
    private var full: NIODeadline

    /// - Parameters:
    ///   - rate: frames per second; unused ones are saved up for two seconds.
    init(perSecond rate: Int, at now: NIODeadline) {
        interval = .nanoseconds(1_000_000_000 / Int64(max(1, rate)))
        burst = .seconds(2)
        full = now
    }

    /// - Returns: whether the frame is within the limit.
    mutating func take(at now: NIODeadline) -> Bool {
        let next = max(full, now) + interval
        guard next - now <= burst else { return false }
        full = next
        return true
    }
}
