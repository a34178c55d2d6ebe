import NIOCore
import NIOHTTPTypes

/// Writes an event stream after its response has begun, without a task (decision 1901).
///
/// A waiting task keeps all the memory that it ever needed, and a stream stays open for hours. So this handler writes
/// the events, and the task that serves the connection ends. It performs one write at a time. Events meanwhile wait in
/// the ``Subscription``, which is bounded. A stream ends with its connection (under HTTP/2: its own channel).
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

    /// Hands a stream over to its channel. After that only this handler writes to the channel or closes it. The head of
    /// the response must have been written.
    /// - Throws: `ChannelPipelineError` when the connection has closed meanwhile.
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
        if request.mustEndStream { subscription.end() }
        subscription.listen { loop.execute { handler.value.sendHints() } }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        subscription.forget()
        self.context = nil
    }

    private func sendHints() {
        guard let context else { return }
        if subscription.isEnded { return end(context) }
        guard !isWriting else { return }
        let text = subscription.take()
        guard !text.isEmpty else { return }
        isWriting = true
        let part = HTTPResponsePart.body(context.channel.allocator.buffer(string: text))
        context.writeAndFlush(wrapOutboundOut(part)).assumeIsolated().whenSuccess {
            self.isWriting = false
            self.sendHints()
        }
    }

    /// Ends the response, and closes without waiting for a client that doesn't read.
    private func end(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
        self.context = nil
    }

    // The request is complete, so further input is dropped.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if request.mustEndStream { subscription.end() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if request.mustEndStream { subscription.end() }
        context.fireUserInboundEventTriggered(event)
    }

    /// Ignores the close by the task that has served the connection. Only the end of the stream closes it.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) { promise?.succeed() }
}

@available(*, unavailable)
extension StreamHandler: Sendable {}
