/// When a server that has ended by itself is started again: soon, then ever later, and never given up.
///
/// The cause may pass: a full disk, a missing file that an operator puts back.
struct Restarts: Sendable {
    var first: Duration = .milliseconds(200)
    var longest: Duration = .seconds(30)
    /// A server that has run for this long did start.
    var steady: Duration = .seconds(10)
    /// How often in a row it ended before it was steady.
    private(set) var failures = 0

    /// - Parameter run: how long the server ran.
    /// - Returns: how long to wait before the next start.
    mutating func pause(after run: Duration) -> Duration {
        failures = run < steady ? failures + 1 : 1
        // The 20th doubling is beyond any limit, and far from an overflow.
        return min(first * (1 << min(failures - 1, 20)), longest)
    }
}
