import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyStore

extension Response {
    /// JSON that is made piece by piece, as fast as it is read at the other end. An answer of one piece says its length.
    static func json(pieces: StatePieces) -> Response {
        var pieces = pieces
        let first = pieces.next() ?? []
        guard let second = pieces.next() else { return .json(bytes: first) }
        return .json(
            body: ResponseBody { [pieces] body in
                var pieces = pieces
                try await body.write(ByteBuffer(bytes: first))
                try await body.write(ByteBuffer(bytes: second))
                while let piece = pieces.next() { try await body.write(ByteBuffer(bytes: piece)) }
                try await body.finish(nil)
            })
    }
}

extension Service {
    /// An answer that is JSON already. A long one counts to the account's memory until it has been sent.
    /// - Parameter holding: what was held for that which the answer was made of, and is no longer needed.
    func held(
        _ bytes: [UInt8], for session: Session, insteadOf holding: ReadHolding? = nil
    ) throws -> Response {
        guard bytes.count > Self.unheld else { return .json(bytes: bytes) }
        let holding = try holding ?? store.hold(bytes.count, for: session.account)
        try holding.resize(to: bytes.count)
        return .json(
            body: ResponseBody(contentLength: bytes.count) { body in
                var rest = ByteBuffer(bytes: bytes)
                while let piece = rest.readSlice(length: min(Self.unheld, rest.readableBytes)), piece.readableBytes > 0
                {
                    try await body.write(piece)
                }
                try await body.finish(nil)
                withExtendedLifetime(holding) {}
            })
    }

    /// Bytes of an answer that are not worth counting, and that are written at a time.
    private static var unheld: Int { 64 << 10 }
}
