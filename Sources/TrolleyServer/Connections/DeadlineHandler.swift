import NIOCore

/// A channel handler that closes its channel at a deadline that may move.
protocol DeadlineHandler: AnyObject {
    var timer: DeadlineTimer { get set }
    var context: ChannelHandlerContext? { get }
    var deadline: Deadline? { get }
    /// Called when the channel is about to be closed, with the reason.
    var ended: @Sendable (TimeoutReason) -> Void { get }
}

extension DeadlineHandler {
    /// To be called when the deadline may have moved.
    func setTimer() {
        guard let context else { return }
        timer.set(deadline?.at, on: context.eventLoop) { self.fire() }
    }

    private func fire() {
        timer.fired()
        guard let context, let deadline else { return }
        guard deadline.at <= .now() else { return setTimer() }
        ended(deadline.reason)
        context.close(promise: nil)
    }
}
