public import TrolleyJournal

/// A moment as a device knows it: on a clock that nobody can set, and on the wall clock, which anybody can.
public struct DeviceTime: Hashable, Sendable {
    /// Names the run of the machine that `uptime` counts from; empty where the platform doesn't say.
    public var boot: String
    /// Milliseconds since that start, sleep included.
    public var uptime: Int64
    /// What the wall clock showed.
    public var wall: Timestamp

    public init(boot: String, uptime: Int64, wall: Timestamp) {
        self.boot = boot
        self.uptime = uptime
        self.wall = wall
    }

    /// Milliseconds from this moment until `now`, never negative: exact within one run of the machine, by the wall
    /// clock across a restart.
    public func age(at now: DeviceTime) -> Int64 {
        let (elapsed, overflow) =
            boot == now.boot && !boot.isEmpty
            ? now.uptime.subtractingReportingOverflow(uptime)
            : now.wall.milliseconds.subtractingReportingOverflow(wall.milliseconds)
        return overflow ? 0 : max(0, elapsed)
    }
}
