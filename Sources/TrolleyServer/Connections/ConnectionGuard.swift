import NIOCore

/// The first handler in a connection's pipeline. Closes a connection that sends nothing, or sends too slowly.
final class ConnectionGuard: ChannelInboundHandler, DeadlineHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var clock: ConnectionClock
    var timer = DeadlineTimer()
    private(set) var context: ChannelHandlerContext?
    let ended: @Sendable (TimeoutReason) -> Void
    var deadline: Deadline? { clock.deadline }

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
}

@available(*, unavailable)
extension ConnectionGuard: Sendable {}
