/// The pauses between restarts of a server that has ended by itself: short at first, then longer, without limit on the
/// number.
///
/// The cause may pass, such as a full disk, or a missing file that an operator restores.
struct Restarts: Sendable {
    var first: Duration = .milliseconds(200)
    var longest: Duration = .seconds(30)
    /// A server that has run for this long counts as started.
    var steady: Duration = .seconds(10)
    /// How many times in a row the server ended before it counted as started.
    private(set) var failures = 0

    /// - Parameter run: how long the server ran.
    /// - Returns: how long to wait before the next start.
    mutating func pause(after run: Duration) -> Duration {
        failures = run < steady ? failures + 1 : 1
        // The 20th doubling exceeds any limit, and is far from an overflow.
        return min(first * (1 << min(failures - 1, 20)), longest)
    }
}
