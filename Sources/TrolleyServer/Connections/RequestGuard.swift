import HTTPTypes
import NIOCore
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import TrolleyStore

/// Between HTTP and the service. Closes a connection (under HTTP/2: a stream) whose body arrives too slowly, whose
/// response isn't read, or that continues to send a refused body.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler, DeadlineHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The maximum remaining body for which a connection stays open after a refusal.
    private static let maxUnreadBodyBytes = 64 << 10

    private var clock: RequestClock
    var timer = DeadlineTimer()
    private(set) var context: ChannelHandlerContext?
    /// Bytes that are read ahead of the current response: of later requests, or of a body that was answered already.
    private static let maxReadAheadBytes = 16 << 10

    /// nil when the connection has no guard, as in a test of one handler.
    private var connection: ConnectionGuard?
    private var isMultiplexed = false
    private var open = 0
    /// Whether the service stops.
    private(set) var isQuiescing = false
    /// Whether the client has closed its side of the connection.
    private var isInputClosed = false
    /// Announced bytes of the body that have not arrived; nil when the length is unknown.
    private var remaining: Int?
    private var isClosing = false
    /// Whether the client waits for 100 Continue. Without it the client may omit the body.
    private var isWaitingToContinue = false
    /// Bytes that have arrived and will be read only after the current response.
    private var readAheadBytes = 0
    /// Whether a read was requested and is held back.
    private var isPausingReads = false
    /// Whether the head of a response was written and its end was not.
    private var isAnswering = false
    private let unsent: UnsentResponses
    /// The bytes that were written and have not been sent.
    private var reservation: UnsentResponses.Budget.Reservation?
    let ended: @Sendable (TimeoutReason) -> Void
    var deadline: Deadline? { clock.deadline }

    init(_ timeouts: Timeouts, unsent: UnsentResponses, ended: @escaping @Sendable (TimeoutReason) -> Void) {
        clock = RequestClock(timeouts, at: .now())
        self.unsent = unsent
        self.ended = ended
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        if let own = try? context.pipeline.syncOperations.handler(type: ConnectionGuard.self) {
            connection = own
            addGuards(context)
        } else {
            isMultiplexed = true
            connection = try? context.channel.parent?.pipeline.syncOperations.handler(type: ConnectionGuard.self)
        }
        reservation = unsent.reservation(
            for: isMultiplexed ? context.channel.parent ?? context.channel : context.channel)
    }

    /// Adds the handlers that see HTTP/1 messages as they are on the connection.
    private func addGuards(_ context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(VersionGuard(), position: .before(codec))
            try pipeline.addHandler(HeadGuard(), position: .before(codec))
        } catch { context.fireErrorCaught(error) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    private func leave() {
        timer.cancel()
        context = nil
        reservation = nil
        if open > 0 { connection?.requestsEnded(open) }
        open = 0
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            open += 1
            connection?.requestBegan(multiplexed: isMultiplexed)
            clock.headArrived(at: .now())
            remaining = head.headerFields[.contentLength].flatMap { Int($0) }
            isWaitingToContinue = head.headerFields[.expect] != nil
            if open > 1 { readAheadBytes += 1 << 10 }
        case .body(let bytes):
            remaining? -= bytes.readableBytes
            isWaitingToContinue = false
            if open > 1 || isAnswering { readAheadBytes += bytes.readableBytes }
        case .end:
            clock.bodyArrived()
            if isClosing, open == 0 { return context.close(promise: nil) }
        }
        context.fireChannelRead(data)
    }

    /// Limits reading ahead, so that a client that doesn't read its responses can't fill the memory with requests.
    func read(context: ChannelHandlerContext) {
        if open > 0, readAheadBytes > Self.maxReadAheadBytes { isPausingReads = true } else { context.read() }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        setTimer()
        context.fireChannelReadComplete()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case is ChannelShouldQuiesceEvent: isQuiescing = true
        // An HTTP/2 client closes its side of the stream with each request.
        case ChannelEvent.inputClosed: isInputClosed = !isMultiplexed
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Whether an endless response must end: the service stops, the client has disconnected, or it has sent another
    /// request, which can't be answered before.
    var mustEndStream: Bool { isQuiescing || isInputClosed || open > 1 }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var part = unwrapOutboundIn(data)
        var size = 0
        switch part {
        case .head(var head):
            if head.status.kind == .informational {
                isWaitingToContinue = false
                break
            }
            isAnswering = true
            // The rest of a refused body would have to be read before the next request.
            let isTooMuch = isWaitingToContinue || remaining ?? .max > Self.maxUnreadBodyBytes
            if clock.isArriving, !isMultiplexed, isTooMuch {
                isClosing = true
                head.headerFields[.connection] = "close"
                part = .head(head)
            }
        case .body(let bytes):
            size = bytes.readableBytes
            guard reserve(size) else {
                promise?.fail(ChannelError.outputClosed)
                ended(.unsent)
                return context.close(promise: nil)
            }
        case .end:
            clock.answered(at: .now())
            // A request that can't be parsed is answered without having begun.
            open = max(0, open - 1)
            connection?.requestsEnded()
            isAnswering = false
            readAheadBytes = 0
        }
        let isLast = isClosing && open == 0 && !clock.isArriving
        let promise = promise ?? context.eventLoop.makePromise()
        clock.wrote(bytes: size, at: .now())
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.clock.left(bytes: size, at: .now())
            self.release(of: size)
            if isLast { self.context?.close(promise: nil) }
        }
        context.write(wrapOutboundOut(part), promise: promise)
        if isPausingReads, readAheadBytes == 0 {
            isPausingReads = false
            context.read()
        }
    }

    private func reserve(_ size: Int) -> Bool {
        guard size >= UnsentResponses.uncounted, let reservation else { return true }
        return (try? reservation.grow(by: size)) != nil
    }

    private func release(of size: Int) {
        guard size >= UnsentResponses.uncounted, let reservation else { return }
        reservation.shrink(to: reservation.count - size)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        setTimer()
    }
}

@available(*, unavailable)
extension RequestGuard: Sendable {}
