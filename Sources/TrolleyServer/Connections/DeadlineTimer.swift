import NIOCore

/// A timer for a deadline that may move. It uses one scheduled task, however often the deadline moves later.
struct DeadlineTimer {
    private var scheduled: (task: Scheduled<Void>, at: NIODeadline)?

    /// - Parameter fire: called on the same event loop; it must check the deadline again.
    mutating func set(_ deadline: NIODeadline?, on loop: any EventLoop, _ fire: @escaping () -> Void) {
        guard let deadline else { return }
        // A call that comes too early sets the timer again. So only an earlier deadline needs a new task.
        if let scheduled, scheduled.at <= deadline { return }
        scheduled?.task.cancel()
        scheduled = (loop.assumeIsolated().scheduleTask(deadline: deadline, fire), deadline)
    }

    mutating func fired() { scheduled = nil }

    mutating func cancel() {
        scheduled?.task.cancel()
        scheduled = nil
    }
}
