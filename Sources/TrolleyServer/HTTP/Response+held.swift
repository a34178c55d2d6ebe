import HTTPTypes
import Hummingbird
import NIOCore
import TrolleyJournal
import TrolleyStore

extension Response {
    /// JSON that is written in pieces, as fast as the client reads. A response of one piece states its length.
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

    /// A response that is JSON already. A long one counts against the account's memory until it has been sent.
    /// - Parameter reservation: the memory reserved for the data that the response was made from, which is released.
    /// - Throws: `StoreError` when the account uses too much memory already.
    static func json(
        reservation bytes: [UInt8], for account: AccountID, in store: Store,
        insteadOf reservation: ReadReservation? = nil
    ) throws(StoreError) -> Response {
        guard bytes.count > maxUncountedBytes else { return .json(bytes: bytes) }
        let reservation = if let reservation { reservation } else { try store.reserve(bytes.count, for: account) }
        try reservation.resize(to: bytes.count)
        return .json(
            body: ResponseBody(contentLength: bytes.count) { body in
                var rest = ByteBuffer(bytes: bytes)
                while let piece = rest.readSlice(length: min(maxUncountedBytes, rest.readableBytes)),
                    piece.readableBytes > 0
                {
                    try await body.write(piece)
                }
                try await body.finish(nil)
                withExtendedLifetime(reservation) {}
            })
    }

    /// Responses up to this size are not counted. Also the size of each write.
    private static var maxUncountedBytes: Int { 64 << 10 }
}
