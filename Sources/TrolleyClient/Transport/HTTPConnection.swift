import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TrolleySync

/// Calls by HTTP.
final class HTTPConnection: ServiceConnection {
    private let client: HTTPClient
    /// For event streams. The same one, unless calls may be silent for longer.
    private let listener: HTTPClient

    /// - Parameters:
    ///   - connectTimeout: how long to try to connect.
    ///   - silenceLimit: how long an event stream may be silent.
    ///   - callSilenceLimit: how long a call may be silent, if that is longer.
    init(connectTimeout: Duration, silenceLimit: Duration, callSilenceLimit: Duration = .zero) {
        let listener = Self.client(connectTimeout: connectTimeout, silenceLimit: silenceLimit)
        self.listener = listener
        client =
            callSilenceLimit > silenceLimit
            ? Self.client(connectTimeout: connectTimeout, silenceLimit: callSilenceLimit) : listener
    }

    private static func client(connectTimeout: Duration, silenceLimit: Duration) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = TimeAmount(connectTimeout)
        configuration.timeout.read = TimeAmount(silenceLimit)
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.retryConnectionEstablishment = false
        // Use the same sockets and TLS on all platforms. On Apple's, the HTTP client's default would ignore a device's own
        // `authorities`.
        return HTTPClient(
            eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    }

    private var clients: [HTTPClient] { client === listener ? [client] : [client, listener] }

    // Without this, the HTTP client would stop the program when an app forgets to close the device.
    deinit { for client in clients { client.shutdown { _ in } } }

    func close() async {
        for client in clients {
            do {
                try await client.shutdown()
            } catch {
                // It was closed before.
            }
        }
    }

    func answer(_ call: ServiceCall) async throws(TransportError) -> ServiceAnswer {
        do {
            let response = try await client.execute(request(call, accept: "application/json"), timeout: call.timeout)
            return ServiceAnswer(
                status: Int(response.status.code),
                body: Array(buffer: try await response.body.collect(upTo: 256 << 20)),
                retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) })
        } catch {
            throw .unreachable(await reason(for: error, call))
        }
    }

    func hear(_ call: ServiceCall, opened: () -> Void, _ take: ([UInt8]) -> Bool) async throws {
        let response = try await listener.execute(request(call, accept: "text/event-stream"), timeout: .hours(24))
        guard response.status == .ok else { throw TransportError.notUnderstood("HTTP status \(response.status.code)") }
        opened()
        for try await part in response.body where !take(Array(buffer: part)) { return }
    }

    private func request(_ call: ServiceCall, accept: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: call.server + call.path)
        request.method = HTTPMethod(rawValue: call.method)
        request.tlsConfiguration = call.tls
        request.headers.add(name: "Accept", value: accept)
        if let id = call.lastEventID { request.headers.add(name: "Last-Event-ID", value: id) }
        if let token = call.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body = call.body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        return request
    }

    private func reason(for error: any Error, _ call: ServiceCall) async -> String {
        switch error {
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            await ServiceAddress(call.server)?.inspection(hasOwnAuthorities: call.tls != nil).reason()
                ?? ConnectionFault.notSecure.rawValue
        default: fault(for: error).rawValue
        }
    }

    private func fault(for error: any Error) -> ConnectionFault {
        switch error {
        case is CancellationError: .timeout
        case let error as HTTPClientError where error == .connectTimeout: .connectTimeout
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout: .answerTimeout
        case let error as HTTPClientError where error == .remoteConnectionClosed: .cut
        case let error as HTTPClientError where error == .cancelled: .timeout
        case let error as IOError where Platform.isRefusal(error.errnoCode): .refused
        case is IOError: .cut
        default: .noConnection
        }
    }
}
