/// How long to wait before trying again: doubling, with full jitter.
struct Backoff: Sendable {
    var first: Duration = .milliseconds(50)
    var longest: Duration = .seconds(5)
    private(set) var failures = 0

    /// The wait after one more failure. `random` is in 0..<1.
    mutating func next(random: Double) -> Duration {
        let ceiling = min(longest, first * (1 << min(failures, 20)))
        failures += 1
        return ceiling * random
    }

    mutating func reset() {
        failures = 0
    }
}
