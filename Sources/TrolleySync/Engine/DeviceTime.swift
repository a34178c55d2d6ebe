public import TrolleyJournal

/// A moment on a device's two clocks: one that nobody can set, and the wall clock.
public struct DeviceTime: Hashable, Sendable {
    /// Identifies the run of the machine that `uptime` counts from; empty where the platform has no such id.
    public var boot: String
    /// Milliseconds since the machine started, including sleep.
    public var uptime: Int64
    /// The time on the wall clock.
    public var wall: Timestamp

    public init(boot: String, uptime: Int64, wall: Timestamp) {
        self.boot = boot
        self.uptime = uptime
        self.wall = wall
    }

    /// Returns an earlier moment on both clocks.
    public func earlier(byMilliseconds milliseconds: Int64) -> DeviceTime {
        DeviceTime(
            boot: boot, uptime: uptime - milliseconds, wall: wall.advanced(byMilliseconds: -milliseconds))
    }

    /// Milliseconds from this moment until `now`, never negative. Exact within one run of the machine; across a
    /// restart, by the wall clock.
    public func age(at now: DeviceTime) -> Int64 {
        let (elapsed, overflow) =
            boot.hasSameBytes(as: now.boot) && !boot.isEmpty
            ? now.uptime.subtractingReportingOverflow(uptime)
            : now.wall.milliseconds.subtractingReportingOverflow(wall.milliseconds)
        return overflow ? 0 : max(0, elapsed)
    }
}
