import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import TrolleyStore
import TrolleyWire

/// A request's body that counts each part before it passes it on.
struct BoundedBody: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let base: RequestBody
    /// The maximum bytes of the body.
    let maxBytes: Int
    /// The body's length according to the head.
    let declaredLength: Int?
    let limits: Limits
    let reservation: BodyBudget.Reservation
    /// Where to send 100 Continue, if the client waits for that (RFC 9110 §10.1.1).
    let continuing: (any Channel)?

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self, base: base.makeAsyncIterator()) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let body: BoundedBody
        fileprivate var base: RequestBody.AsyncIterator
        private var received = 0
        private var hasBegun = false

        fileprivate init(body: BoundedBody, base: RequestBody.AsyncIterator) {
            self.body = body
            self.base = base
        }

        /// - Throws: `Problem`.
        mutating func next() async throws -> ByteBuffer? {
            if !hasBegun {
                hasBegun = true
                // If the client has disconnected meanwhile, the read below fails.
                body.continuing?.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
            }
            let part: ByteBuffer?
            do {
                part = try await base.next()
            } catch {
                throw Problem(reading: error)
            }
            guard let part else {
                if let declaredLength = body.declaredLength, received < declaredLength { throw Problem.cutOff }
                return nil
            }
            received += part.readableBytes
            guard received <= body.maxBytes else { throw Problem(tooLarge: body.maxBytes, body.limits) }
            do {
                try body.reservation.grow(by: part.readableBytes)
            } catch {
                throw Problem(.serviceUnavailable, "too many requests are arriving at the same time", retryAfter: 1)
            }
            return part
        }
    }
}

extension Request {
    var isExpectingContinue: Bool { headers[.expect]?.lowercased() == "100-continue" }
}

extension Problem {
    /// The body was shorter than the head announced, usually because the client disconnected.
    fileprivate static var cutOff: Problem { Problem(.invalidArguments, "the request's body was cut off") }

    init(tooLarge maxBytes: Int, _ limits: Limits) {
        self.init(.limitExceeded, "the body of this request may have at most \(maxBytes) bytes", limits: limits)
    }

    /// The problem for a body that could not be read. None of them is the service's fault.
    fileprivate init(reading error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case is CancellationError: self = Problem(.serviceUnavailable, "the service is stopping", retryAfter: 2)
        case HTTPParserError.invalidEOFState: self = .cutOff
        case is HTTPParserError: self = Problem(.invalidArguments, "the request's body is not framed as HTTP says")
        default: self = .cutOff
        }
    }
}
