import NIOCore

/// The first handler in a connection's pipeline. Closes a connection that sends nothing, or sends too slowly.
final class ConnectionGuard: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var clock: ConnectionClock
    private var timer = DeadlineTimer()
    private var context: ChannelHandlerContext?
    private let ended: @Sendable (TimeoutReason) -> Void

    init(_ timeouts: Timeouts, ended: @escaping @Sendable (TimeoutReason) -> Void) {
        clock = ConnectionClock(timeouts, at: .now())
        self.ended = ended
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setTimer()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer.cancel()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        clock.bytesArrived(at: .now())
        setTimer()
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer.cancel()
        self.context = nil
        context.fireChannelInactive()
    }

    func requestBegan(multiplexed: Bool) { clock.requestBegan(multiplexed: multiplexed) }

    func requestsEnded(_ count: Int = 1) {
        clock.requestsEnded(count, at: .now())
        setTimer()
    }

    private func setTimer() {
        guard let context else { return }
        timer.set(clock.deadline?.at, on: context.eventLoop) { self.fire() }
    }

    private func fire() {
        timer.fired()
        guard let context, let deadline = clock.deadline else { return }
        guard deadline.at <= .now() else { return setTimer() }
        ended(deadline.reason)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
