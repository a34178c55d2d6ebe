import NIOCore
import NIOHTTPTypes

/// Keeps an event stream going once its answer has begun, without a task: decision 1901.
///
/// Whatever waits in a task holds all the memory that the task ever needed, and a stream waits for hours. So this writes what
/// there is to tell, and the task that serves the connection ends. One write is on its way at a time; what happens
/// meanwhile waits in the ``Subscription``, which is bounded. A stream ends with its connection (under HTTP/2: its own channel).
final class StreamHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let subscription: Subscription
    private let request: RequestGuard
    private var context: ChannelHandlerContext?
    private var isWriting = false

    private init(_ subscription: Subscription, after request: RequestGuard) {
        self.subscription = subscription
        self.request = request
    }

    /// Hands a stream over to its channel, which then is nobody else's to write to or to close. The head of the answer must
    /// have been written.
    /// - Throws: `ChannelPipelineError`, when the connection has gone meanwhile.
    static func handOver(_ subscription: Subscription, to channel: any Channel) async throws {
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let request = try pipeline.handler(type: RequestGuard.self)
            try pipeline.addHandler(StreamHandler(subscription, after: request), position: .after(request))
        }.get()
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        let loop = context.eventLoop
        let handler = NIOLoopBound(self, eventLoop: loop)
        if request.isInTheWay { subscription.end() }
        subscription.listen { loop.execute { handler.value.tell() } }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        subscription.forget()
        self.context = nil
    }

    private func tell() {
        guard let context else { return }
        if subscription.isEnded { return end(context) }
        guard !isWriting else { return }
        let text = subscription.take()
        guard !text.isEmpty else { return }
        isWriting = true
        let part = HTTPResponsePart.body(context.channel.allocator.buffer(string: text))
        context.writeAndFlush(wrapOutboundOut(part)).assumeIsolated().whenSuccess {
            self.isWriting = false
            self.tell()
        }
    }

    /// Says so, and doesn't wait for who doesn't read it.
    private func end(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
        self.context = nil
    }

    // Nobody else reads what comes: the request has been dealt with.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if request.isInTheWay { subscription.end() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if request.isInTheWay { subscription.end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whoever served the connection until now closes it when it is done; but only a stream's end does.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) { promise?.succeed() }
}

@available(*, unavailable)
extension StreamHandler: Sendable {}
