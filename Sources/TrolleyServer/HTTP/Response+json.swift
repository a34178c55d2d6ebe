import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A JSON response. Not for hot paths.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return .json(bytes: Array(try encoder.encode(value)), status: status)
    }

    /// A response that is JSON already.
    static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        .json(body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), status: status)
    }

    static func json(body: ResponseBody, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            // Lists are private: no cache between may store them.
            headers: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"], body: body)
    }

    static var noContent: Response { Response(status: .noContent) }
}
