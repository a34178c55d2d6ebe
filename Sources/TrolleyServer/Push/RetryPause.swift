/// The time until the next attempt: exponential backoff with jitter.
enum RetryPause {
    /// Milliseconds.
    static let maximum: Int64 = 6 * 3_600_000
    /// Seconds for which an endpoint may put the next attempt off.
    static let maximumRetryAfter: Int64 = 3600

    /// - Parameters:
    ///   - attempt: the attempt that failed, from 1.
    ///   - first: milliseconds after the first attempt.
    ///   - retryAfter: seconds that the endpoint asks to wait.
    ///   - jitter: 0 to 1.
    /// - Returns: milliseconds: between half and all of four times the previous pause.
    static func after(attempt: Int, first: Int64, retryAfter: Int64?, jitter: Double) -> Int64 {
        var pause = max(1, first)
        for _ in 1..<max(2, attempt) where attempt > 1 && pause < maximum { pause = min(maximum, pause * 4) }
        let wanted = min(max(0, retryAfter ?? 0), maximumRetryAfter) * 1000
        return max(Int64(Double(pause) * (0.5 + jitter / 2)), wanted)
    }
}
