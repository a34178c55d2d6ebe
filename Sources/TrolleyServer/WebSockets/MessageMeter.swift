/// Limits how fast messages come. A value without a clock (GCRA, ITU-T I.371).
struct MessageMeter: Sendable {
    private let interval: Duration
    private static let burst = Duration.seconds(2)
    private var full: ContinuousClock.Instant

    /// - Parameters:
    ///   - rate: messages per second; unused ones are saved up for two seconds.
    init(perSecond rate: Int, at now: ContinuousClock.Instant) {
        interval = .seconds(1) / max(1, rate)
        full = now
    }

    /// - Returns: whether the message is within the limit.
    mutating func take(at now: ContinuousClock.Instant) -> Bool {
        let next = max(full, now) + interval
        guard next - now <= Self.burst else { return false }
        full = next
        return true
    }
}
