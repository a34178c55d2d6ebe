import AsyncHTTPClient
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

/// Calls to a service over HTTP. Each call is tried once.
public struct HTTPTransport: Transport {
    let client: HTTPClient
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
        try await decode(send(.POST, Path.entries(list), request.json))
    }

    public func changes(_ request: AllChangesRequest) async throws(TransportError) -> AllChangesResponse {
        let body = try await send(.POST, Path.changes, encode(request))
        do {
            return try AllChangesResponse(json: body)
        } catch {
            throw .notUnderstood(error.description)
        }
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
        var request = HTTPClientRequest(url: server + path)
        request.method = method
        request.tlsConfiguration = tls
        request.headers.add(name: "Accept", value: "application/json")
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        let status: Int
        let answer: [UInt8]
        let retryAfter: String?
        let call: Logger.Metadata = ["method": "\(method)", "path": "\(path.prefix { $0 != "?" })"]
        log.debug("request", metadata: call.merging(["bytes": "\(body?.count ?? 0)"]) { $1 })
        let began = ContinuousClock.now
        func note(_ result: Logger.Metadata) {
            let time: Logger.Metadata = ["ms": "\((ContinuousClock.now - began).wholeMilliseconds)"]
            log.debug("answer", metadata: call.merging(time) { $1 }.merging(result) { $1 })
        }
        do {
            let response = try await client.execute(request, timeout: requestTimeout)
            status = Int(response.status.code)
            retryAfter = response.headers.first(name: "Retry-After")
            answer = Array(buffer: try await response.body.collect(upTo: 256 << 20))
        } catch {
            let reason = await reason(for: error)
            note(["none": "\(reason)"])
            throw .unreachable(reason)
        }
        note(["status": "\(status)", "bytes": "\(answer.count)"])
        guard (200..<300).contains(status) else {
            throw Self.refusal(status: status, body: answer, retryAfter: retryAfter.flatMap { Int($0) })
        }
        return answer
    }

    static func refusal(status: Int, body: [UInt8], retryAfter: Int?) -> TransportError {
        if var problem = try? JSONDecoder().decode(Problem.self, from: Data(body)) {
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

    private func reason(for error: any Error) async -> String {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            await ServiceAddress(server)?.inspection(hasOwnAuthorities: tls != nil).reason()
                ?? "no secure connection could be made"
        case is CancellationError: "it took too long"
        case let error as HTTPClientError where error == .connectTimeout: "connecting took too long"
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            "the answer took too long"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "the connection was cut"
        case let error as HTTPClientError where error == .cancelled: "it took too long"
        case let error as IOError where Platform.isRefusal(error.errnoCode): "the connection was refused"
        case is IOError: "the connection was cut"
        default: "no connection could be made"
        }
    }
}
