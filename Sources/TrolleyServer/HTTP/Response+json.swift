import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer in JSON, from a value that isn't on the hot path.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .json(bytes: Array(try encoder.encode(value)), status: status)
    }

    /// An answer that is JSON already.
    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        .json(body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), status: status)
    }

    static func json(body: ResponseBody, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            // Lists are nobody's but their people's: no cache between may keep them.
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"], body: body)
    }

    static var noContent: Response { Response(status: .noContent) }
}
