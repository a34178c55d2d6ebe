/// Exponential backoff: the wait doubles with each failure, with full jitter.
struct Backoff: Sendable {
    let first: Duration
    let longest: Duration
    private(set) var failures = 0

    init(first: Duration = .milliseconds(50), longest: Duration = .seconds(5)) {
        self.first = first
        self.longest = longest
    }

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
