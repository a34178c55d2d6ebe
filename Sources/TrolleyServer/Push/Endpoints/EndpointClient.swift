import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TrolleyJournal

/// Sends requests to addresses that people give, so it trusts none of them: it connects only to an address that it has
/// checked, follows no redirect, and reads only the head of an answer, within a bounded time.
struct EndpointClient: Sendable {
    /// Bytes of an answer: its head, and what comes with it.
    private static let maximumAnswer = 64 << 10

    let settings: PushSettings
    private let resolver: HostResolver
    private let failingResolver: HostResolver
    private let trusted = TrustedRoots()

    init(settings: PushSettings, resolve: @escaping HostResolver.Resolve = HostResolver.system) {
        self.settings = settings
        // A name that resolves slowly holds a thread, also beyond its attempt.
        resolver = HostResolver(threads: 32, resolve)
        failingResolver = HostResolver(threads: 8, resolve)
    }

    func shutDown() {
        resolver.shutDown()
        failingResolver.shutDown()
    }

    /// - Parameter failing: whether the endpoint's last attempt failed.
    func post(
        _ message: OutgoingMessage, to url: EndpointURL, failing: Bool
    ) async throws(DeliveryFailure) -> EndpointAnswer {
        let deadline = NIODeadline.now() + TimeAmount(settings.timeout)
        let resolver = failing ? failingResolver : resolver
        let addresses = try await resolver.addresses(of: url.host, within: settings.timeout)
        // One private address is enough to refuse the host: its owner chooses which one comes first.
        guard settings.allowsPrivateAddresses || addresses.allSatisfy(\.isPublic) else { throw .privateAddress }
        // An IPv4 address, where there is one: many machines have no route for IPv6.
        guard let address = addresses.first(where: \.isIPv4) ?? addresses.first else { throw .unresolvable }
        do {
            return try await post(message, to: url, at: address, deadline: deadline)
        } catch let error as HTTPClientError
            where [.deadlineExceeded, .connectTimeout, .readTimeout, .getConnectionFromPoolTimeout].contains(error)
        {
            throw .timedOut
        } catch {
            throw NIODeadline.now() >= deadline ? .timedOut : .unreachable
        }
    }

    /// A client of its own for each request: it knows no address but the checked one, and leaves no connection.
    private func post(
        _ message: OutgoingMessage, to url: EndpointURL, at address: IPAddress, deadline: NIODeadline
    ) async throws -> EndpointAnswer {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: HTTPClient.Configuration.Timeout(connect: TimeAmount(settings.timeout / 2)))
        if url.isSecure {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = trusted.roots
            configuration.tlsConfiguration = tls
        }
        configuration.dnsOverride = [url.host: address.description]
        configuration.httpVersion = .http1Only
        configuration.maximumUsesPerConnection = 1
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.submit {
                try channel.pipeline.syncOperations.addHandler(
                    AnswerLimit(bytes: Self.maximumAnswer), position: .first)
            }
        }
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
        do {
            var request = HTTPClientRequest(url: url.text)
            request.method = .POST
            for (name, value) in message.headers { request.headers.add(name: name, value: value) }
            request.body = .bytes(message.body)
            let response = try await client.execute(request, deadline: deadline)
            // The body doesn't matter. It may be long, or never end; closing the connection ends it.
            let answer = EndpointAnswer(
                status: Int(response.status.code),
                retryAfter: response.headers.first(name: "retry-after").flatMap {
                    RetryAfter.seconds($0, now: Timestamp(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)))
                })
            try? await client.shutdown()
            return answer
        } catch {
            try? await client.shutdown()
            throw error
        }
    }
}
