import FoundationEssentials
import Hummingbird
import NIOCore
import TrolleyWire

extension Request {
    /// Reads the whole body. ``BodyMiddleware`` limits its size while it arrives.
    func body(upTo limits: Limits) async throws -> ByteBuffer {
        try await body.collect(upTo: limits.bytesPerRequest)
    }

    /// Reads and decodes the body.
    func decode<Value: Decodable>(_ type: Value.Type, limits: Limits) async throws -> Value {
        try await body(upTo: limits).decode(type)
    }
}

extension ByteBuffer {
    /// - Throws: `Problem` (`invalidArguments`).
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(readableBytesView))
        } catch let error as DecodingError {
            throw Problem(.invalidArguments, error.sentence)
        }
    }
}

extension DecodingError {
    /// The error and its place, without the body's content.
    fileprivate var sentence: String {
        func place(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        switch self {
        case .keyNotFound(let key, let context): return "\(place(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context): return "\(place(context.codingPath)) is of another type"
        case .valueNotFound(_, let context): return "\(place(context.codingPath)) must not be null"
        case .dataCorrupted(let context):
            return context.codingPath.isEmpty ? "not valid JSON" : "\(place(context.codingPath)) is not valid"
        @unknown default: return "the request can't be read"
        }
    }
}
