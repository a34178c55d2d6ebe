import NIOCore

/// Rings when a deadline has passed that may move: one scheduled task, however often it moves away.
struct DeadlineTimer {
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameter ring: on the same event loop; asks for the deadline again.
    mutating func set(_ deadline: NIODeadline?, on loop: any EventLoop, _ ring: @escaping () -> Void) {
        guard let deadline else { return }
        // A ring that comes early sets the timer anew; only one that would come late is worth another task.
        if let scheduled, scheduled.at <= deadline { return }
        scheduled?.task.cancel()
        scheduled = (loop.assumeIsolated().scheduleTask(deadline: deadline, ring), deadline)
    }

    mutating func rang() { scheduled = nil }

    mutating func cancel() {
        scheduled?.task.cancel()
        scheduled = nil
    }
}
