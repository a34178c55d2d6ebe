import NIOCore
import NIOHTTP1
import NIOPosix

/// A request, as far as these programs need one.
struct HTTPCall: Sendable {
    var method = HTTPMethod.GET
    var path: String
    /// The value of `Authorization`; nil: none.
    var authorization: String?
    /// JSON.
    var body: [UInt8] = []

    var head: HTTPRequestHead {
        var headers = HTTPHeaders([("Host", "127.0.0.1")])
        if let authorization { headers.add(name: "Authorization", value: authorization) }
        if method != .GET {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(body.count))
        }
        return HTTPRequestHead(version: .http1_1, method: method, uri: path, headers: headers)
    }
}

struct HTTPAnswer: Sendable {
    var status: Int
    var retryAfter: Double?
    var body: ByteBuffer
}

/// The service answered something that the load did not expect.
struct UnexpectedAnswer: Error, CustomStringConvertible {
    let description: String

    init(_ answer: HTTPAnswer, to call: HTTPCall) {
        description = "\(call.method) \(call.path): \(answer.status) \(String(buffer: answer.body).prefix(300))"
    }

    init(_ description: String) { self.description = description }
}

/// One kept-alive connection, one request at a time.
struct HTTPConnection: Sendable {
    private let channel: any Channel

    /// - Parameter source: the address to come from; nil: any.
    init(to address: Address, from source: SocketAddress? = nil, on group: any EventLoopGroup) async throws {
        var bootstrap = ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(CallHandler())
                }
            }
        if let source { bootstrap = bootstrap.bind(to: source) }
        channel = try await bootstrap.connect(to: address.socket).get()
    }

    func call(_ call: HTTPCall) async throws -> HTTPAnswer {
        let promise = channel.eventLoop.makePromise(of: HTTPAnswer.self)
        channel.writeAndFlush(Exchange(call: call, promise: promise), promise: nil)
        return try await promise.futureResult.get()
    }

    /// - Throws: ``UnexpectedAnswer`` for any other status than 200 to 299.
    func success(_ call: HTTPCall) async throws -> HTTPAnswer {
        let answer = try await self.call(call)
        guard (200..<300).contains(answer.status) else { throw UnexpectedAnswer(answer, to: call) }
        return answer
    }

    /// Repeats the request after each wait that the service asks for.
    /// - Throws: ``UnexpectedAnswer`` for any other status than 200.
    func patiently(
        _ call: () -> HTTPCall, whenSlowedDown: () -> Void = {}
    ) async throws -> HTTPAnswer {
        while true {
            let call = call()
            let answer = try await self.call(call)
            guard [429, 503].contains(answer.status) else {
                guard answer.status == 200 else { throw UnexpectedAnswer(answer, to: call) }
                return answer
            }
            whenSlowedDown()
            try await Task.sleep(for: .seconds(answer.retryAfter ?? 1))
        }
    }

    func close() async { try? await channel.close() }
}

extension ByteBuffer {
    /// How often a text stands in it.
    func occurrences(of text: StaticString) -> Int {
        withUnsafeReadableBytes { bytes in
            let wanted = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
            var (count, place) = (0, 0)
            while place + wanted.count <= bytes.count {
                if bytes[place] == wanted[0], bytes[place..<place + wanted.count].elementsEqual(wanted) {
                    count += 1
                    place += wanted.count
                } else {
                    place += 1
                }
            }
            return count
        }
    }
}

private struct Exchange: Sendable {
    let call: HTTPCall
    let promise: EventLoopPromise<HTTPAnswer>
}

private final class CallHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Exchange
    typealias OutboundOut = HTTPClientRequestPart

    private var promise: EventLoopPromise<HTTPAnswer>?
    private var answer = HTTPAnswer(status: 0, body: ByteBuffer())

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let exchange = unwrapOutboundIn(data)
        guard context.channel.isActive else {
            exchange.promise.fail(ChannelError.ioOnClosedChannel)
            return
        }
        self.promise = exchange.promise
        context.write(wrapOutboundOut(.head(exchange.call.head)), promise: nil)
        if !exchange.call.body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: exchange.call.body)))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            answer = HTTPAnswer(
                status: Int(head.status.code),
                retryAfter: head.headers.first(name: "retry-after").flatMap { Double($0) },
                body: ByteBuffer())
        case .body(var part): answer.body.writeBuffer(&part)
        case .end:
            promise?.succeed(answer)
            promise = nil
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise?.fail(ChannelError.eof)
        promise = nil
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise?.fail(error)
        promise = nil
        context.close(promise: nil)
    }
}
