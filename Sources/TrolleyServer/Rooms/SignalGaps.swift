/// Finds signals of other processes that were lost on their way, by their numbers, and says when the sockets must be told
/// that they may have missed something. A value, without a clock.
struct SignalGaps {
    /// The pause between two reports. Each of them makes other processes answer.
    static let pause = Duration.seconds(1)
    /// How long a process without a signal is remembered. One that lives says more often who is in its rooms.
    private static let memory = Duration.seconds(3600)

    private var last: [String: (number: UInt64, at: ContinuousClock.Instant)] = [:]
    private var hasGap = false
    private var reportedAt: ContinuousClock.Instant?

    /// Notes a payload of another process.
    /// - Returns: the signals between this payload and the one before that were lost.
    mutating func note(_ payload: RoomPayload.Received, at now: ContinuousClock.Instant) -> Int {
        guard let number = payload.number else { return 0 }
        let earlier = last[payload.process]?.number
        if earlier == nil { last = last.filter { now - $0.value.at < Self.memory } }
        last[payload.process] = (number, now)
        guard let earlier else { return 0 }
        // An earlier version numbers its payloads, so it seems to have sent fewer signals.
        let expected = earlier &+ UInt64(max(0, payload.count))
        guard number > expected else { return 0 }
        hasGap = true
        return Int(clamping: number - expected)
    }

    /// Notes that something was lost, or may have been.
    mutating func noteGap() { hasGap = true }

    /// Whether the sockets must be told now. A gap that is noted within the pause is told after it.
    mutating func takeReport(at now: ContinuousClock.Instant) -> Bool {
        guard hasGap else { return false }
        if let reportedAt, now - reportedAt < Self.pause { return false }
        hasGap = false
        reportedAt = now
        return true
    }
}
