import NIOCore
import NIOWebSocket
import TrolleyStore
import TrolleyWire

/// The last handler of a WebSocket's connection. It has no task (decision 1901): messages are handled as they arrive,
/// and others' messages are written from their event loops.
final class SocketHandler: ChannelDuplexHandler {
    typealias InboundIn = FrameReader.Event
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame

    /// How long the client has to answer a close.
    private static let closeTimeout = TimeAmount.seconds(2)

    private let socket: Socket
    private var assembler: MessageAssembler
    private var context: ChannelHandlerContext?
    private var isClosing = false
    /// Whether a read is held back until the client has read.
    private var isReadPending = false
    private var lastHeard = NIODeadline.now()
    private var needsFlush = false
    /// Whether the client must be told that it has missed something.
    private var hasMissed = false
    /// Bytes that were written since the client stopped reading.
    private var unread = 0
    private var hints: SocketHints?

    init(_ socket: Socket) {
        self.socket = socket
        assembler = MessageAssembler(maximumBytes: socket.limits.bytesPerMessage)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// The protocol was switched. From now on this handler alone asks for reads: those of the channel itself would end at
    /// the last handler, which belongs to the task that served the request and reads no more.
    func begin() throws {
        guard let context else { return }
        try context.channel.syncOptions?.setOption(.autoRead, value: false)
        socket.attach(self)
        if let code = socket.earlyCloseCode { close(code) } else { socket.happened(.opened) }
        context.read()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard context != nil else { return }
        context = nil
        hints?.end()
        hints = nil
        socket.attach(nil)
        socket.happened(.closed)
    }

    /// Closes the connection. The others hear at once that the device has left: under TLS the connection itself may close
    /// later, because it waits for the client's goodbye.
    private func disconnect() {
        guard let context else { return }
        end()
        context.close(promise: nil)
    }

    // MARK: Receiving

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.context != nil else { return }
        lastHeard = .now()
        switch unwrapInboundIn(data) {
        // Only the client's close matters now.
        case .part(let part) where isClosing: if part.opcode == .connectionClose { disconnect() }
        case .part(let part): receive(part)
        case .failure(let code): if !isClosing { fail(code) }
        }
    }

    private func receive(_ part: FramePart) {
        guard let context else { return }
        guard !part.isFirst || socket.frames.take(by: socket.session, at: .now) else {
            return close(SocketCloseCode.tooManyMessages)
        }
        switch assembler.receive(part) {
        case nil, .pong: break
        case .text(let message): socket.happened(.message(message))
        case .ping(let data): write(.pong, data)
        case .close(let code):
            isClosing = true
            let answer = WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(integer: code))
            context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in
                self.disconnect()
            }
        case .failure(let code): fail(code)
        }
    }

    // A client that doesn't read is not read either, so that answers to it can't fill the memory. It falls silent, and ends.
    func channelReadComplete(context: ChannelHandlerContext) {
        if context.channel.isWritable { context.read() } else { isReadPending = true }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { disconnect() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: close(MessageAssembler.Code.goingAway)
        // A client that sends no more can't answer a ping either.
        case ChannelEvent.inputClosed: disconnect()
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    // MARK: Sending

    func send(_ message: ByteBuffer, isLive: Bool) {
        guard let context, !isClosing else { return }
        // What is live is worth nothing later, so a slow client just misses it. Its memory is bounded by the channel's
        // high-water mark.
        if !context.channel.isWritable {
            if isLive {
                hasMissed = true
                return socket.happened(.dropped)
            }
            // The rest can't be left out: the client would believe in devices that have left. So it may be behind only so far.
            unread += message.readableBytes
            guard unread <= socket.limits.bytesUnread else { return disconnect() }
        }
        write(.text, message)
    }

    func tellMissed() {
        hasMissed = true
        sendMissed()
    }

    private func sendMissed() {
        guard let context, hasMissed, !isClosing, context.channel.isWritable else { return }
        hasMissed = false
        write(.text, ByteBuffer(bytes: SocketEvent.missed.json))
    }

    private func write(_ opcode: WebSocketOpcode, _ data: ByteBuffer) {
        guard let context else { return }
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: data)), promise: nil)
        guard !needsFlush else { return }
        needsFlush = true
        // Messages of one turn of the event loop leave together, and not while a read completes: a flush to a client that is
        // gone closes the channel, which SwiftNIO doesn't expect there when the client has closed its side (an assertion).
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.execute { handler.value.flush() }
    }

    private func flush() {
        guard needsFlush, let context else { return }
        needsFlush = false
        context.flush()
    }

    /// Sends a close frame, and closes when the client has answered or the time is over.
    func close(_ code: UInt16) { close(code, isFailure: false) }

    /// Fails the connection (RFC 6455 §7.1.7): sends a close frame, and nothing after it. What the client still sends isn't
    /// frames any more, so it is dropped until the client closes its side, too: the code would be lost otherwise.
    private func fail(_ code: UInt16) { close(code, isFailure: true) }

    private func close(_ code: UInt16, isFailure: Bool) {
        guard let context, !isClosing else { return }
        isClosing = true
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: ByteBuffer(integer: code))
        context.writeAndFlush(wrapOutboundOut(frame)).assumeIsolated().whenSuccess {
            if isFailure { self.context?.close(mode: .output, promise: nil) }
        }
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) {
            self.disconnect()
        }
    }

    func tick(every interval: Duration) {
        guard context != nil else { return }
        let silent = NIODeadline.now() - lastHeard
        if silent > .nanoseconds(3 * interval.nanoseconds) {
            disconnect()
        } else if !isClosing, silent > .nanoseconds(interval.nanoseconds) {
            write(.ping, ByteBuffer())
        }
    }

    // MARK: Hints

    /// Sends a subscription's hints from now on, instead of earlier ones.
    func listen(to hints: SocketHints) {
        guard context != nil, !isClosing else { return hints.end() }
        self.hints?.end()
        self.hints = hints
        hints.listen { [socket] in socket.onLoop { $0.sendHints() } }
    }

    private func sendHints() {
        guard let context, let hints else { return }
        if hints.isEnded { return close(MessageAssembler.Code.goingAway) }
        guard context.channel.isWritable else { return }
        for event in hints.take() { write(.text, ByteBuffer(bytes: event.json)) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            unread = 0
            if isReadPending { context.read() }
            isReadPending = false
            sendMissed()
            sendHints()
        }
        context.fireChannelWritabilityChanged()
    }

    // MARK: The task that served the request

    /// Ignores the close by the task that has served the request to upgrade. Only the socket closes its connection.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) { promise?.succeed() }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(ChannelError.outputClosed)
    }
}

@available(*, unavailable)
extension SocketHandler: Sendable {}
