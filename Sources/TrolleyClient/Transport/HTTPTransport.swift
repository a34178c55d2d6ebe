import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
public import TrolleyJournal
public import TrolleySync
public import TrolleyWire

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Calls to a service, as its HTTP API describes them. Each call is tried once.
public struct HTTPTransport: Transport {
    let connection: any ServiceConnection
    /// The service's address, without a slash at the end.
    let server: String
    let token: String?
    /// How long one call may take.
    var requestTimeout: TimeAmount
    /// The TLS settings; nil: only the system's certificates are trusted.
    var tls: TLSConfiguration?
    var log = Logger.silent

    public func config() async throws(TransportError) -> ConfigResponse { try await call(.GET, Path.config) }

    public func createList(_ request: CreateListRequest) async throws(TransportError) -> ListResponse {
        try await call(.POST, Path.lists, request)
    }

    public func upload(_ request: UploadRequest, to list: ListID) async throws(TransportError) -> UploadResponse {
        let body = try await send(.POST, Path.entries(list), request.json)
        do { return try UploadResponse(json: body) } catch { throw .notUnderstood(error.description) }
    }

    public func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse {
        let body = try await send(.POST, Path.changes, encode(request))
        do { return try AllChangesResponse(json: body) } catch { throw .notUnderstood(error.description) }
    }

    public func deleteList(_ list: ListID) async throws(TransportError) {
        try await send(.DELETE, Path.list(list), nil)
    }

    // MARK: One call

    func call<Response: Decodable>(_ method: HTTPMethod, _ path: String) async throws(TransportError) -> Response {
        try await decode(send(method, path, nil))
    }

    func call<Response: Decodable>(
        _ method: HTTPMethod, _ path: String, _ request: some Encodable
    ) async throws(TransportError) -> Response {
        try await decode(send(method, path, encode(request)))
    }

    func encode(_ request: some Encodable) throws(TransportError) -> [UInt8] {
        do {
            return Array(try JSONEncoder().encode(request))
        } catch {
            throw .notUnderstood("the request can't be written")
        }
    }

    private func decode<Response: Decodable>(_ body: [UInt8]) throws(TransportError) -> Response {
        do {
            return try JSONDecoder().decode(Response.self, from: Data(body))
        } catch {
            throw .notUnderstood("it is not the JSON that was expected")
        }
    }

    /// - Returns: the answer's body.
    @discardableResult
    func send(_ method: HTTPMethod, _ path: String, _ body: [UInt8]?) async throws(TransportError) -> [UInt8] {
        let metadata: Logger.Metadata = ["method": "\(method)", "path": "\(path.prefix { $0 != "?" })"]
        log.debug("request", metadata: metadata.merging(["bytes": "\(body?.count ?? 0)"]) { $1 })
        let began = ContinuousClock.now
        func note(_ result: Logger.Metadata) {
            let time: Logger.Metadata = ["ms": "\((ContinuousClock.now - began).wholeMilliseconds)"]
            log.debug("answer", metadata: metadata.merging(time) { $1 }.merging(result) { $1 })
        }
        let answer: ServiceAnswer
        do {
            answer = try await connection.answer(call(method.rawValue, path, body))
        } catch {
            note(["none": "\(error)"])
            throw error
        }
        note(["status": "\(answer.status)", "bytes": "\(answer.body.count)"])
        guard (200..<300).contains(answer.status) else {
            throw Self.refusal(status: answer.status, body: answer.body, retryAfter: answer.retryAfter)
        }
        return answer.body
    }

    /// The service's event stream, part by part. The service writes something every 15 seconds; a stream that is silent for
    /// longer than the connection's limit ends with an error.
    /// - Parameter lastEventID: the id of the last event that was heard.
    func hear(
        after lastEventID: String?, opened: () -> Void, _ take: ([UInt8]) -> Bool
    ) async throws {
        var call = call("GET", Path.events, nil)
        call.lastEventID = lastEventID
        try await connection.hear(call, opened: opened, take)
    }

    private func call(_ method: String, _ path: String, _ body: [UInt8]?) -> ServiceCall {
        ServiceCall(
            server: server, method: method, path: path, token: token, body: body, timeout: requestTimeout, tls: tls)
    }

    static func refusal(status: Int, body: [UInt8], retryAfter: Int?) -> TransportError {
        if var problem = try? Problem(json: body) {
            problem.retryAfter = problem.retryAfter ?? retryAfter
            return .problem(problem)
        }
        // A proxy in between may have answered.
        return switch status {
        case 413: .problem(Problem(.limitExceeded))
        case 429: .problem(Problem(.requestRateLimited, retryAfter: retryAfter))
        case 502, 503, 504: .problem(Problem(.serviceUnavailable, retryAfter: retryAfter))
        default: .notUnderstood("HTTP status \(status) without a reason")
        }
    }
}
